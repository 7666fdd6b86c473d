import { StoreError } from '@conv/core/store';
import { timers, type Platform, type Timer } from '@conv/core/platform';
import type { ConversationPath } from '../disk/conversation-path.ts';
import { fenced } from '../disk/fenced.ts';
import type { Lease } from './lease.ts';
import type { LogWriter } from '../log/log-writer.ts';
import type { OwnerRecord } from '../log/owner-file.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import type { OwnerHeartbeat } from './heartbeat.ts';
import { transition, type OwnershipEffect, type OwnershipEvent, type OwnershipState } from './ownership-state.ts';
import { giveBack, giveBackQuietly } from '../disk/give-back.ts';
import { dropToken } from '../disk/process-identity.ts';

export interface OwnershipDeps {
  readonly platform: Platform;
  readonly path: ConversationPath;
  readonly log: LogWriter;
  readonly files: OwnFiles;
  readonly heartbeat: OwnerHeartbeat;
  readonly lease: Lease;
}

/**
 * The ownership of a folder: the log, the heartbeat that tells other processes of it, and the lease that keeps OpenHands away.
 * `ownership-state.ts` has its states; this class performs their effects.
 *
 * Invariant: nothing here decides who owns the folder. The log is fenced by the next epoch, and each append looks for it. The
 * heartbeat only tells others not to claim it, and this process that it was claimed.
 */
export class Ownership {
  readonly log: LogWriter;
  /** Puts files of the owner in place of others. */
  readonly files: OwnFiles;
  readonly #path: ConversationPath;
  readonly #heartbeat: OwnerHeartbeat;
  readonly #lease: Lease;
  readonly #platform: Platform;
  readonly #heart: Timer;
  #state: OwnershipState;

  constructor({ platform, path, log, files, heartbeat, lease }: OwnershipDeps) {
    this.#platform = platform;
    this.#state = { kind: 'held', leaseRenewed: platform.now() };
    this.#path = path;
    this.log = log;
    this.files = files;
    this.#heartbeat = heartbeat;
    this.#lease = lease;
    this.#heart = timers.every(platform, heartbeat.record.patience / 3, () => this.#beat(), { background: true });
  }

  /** Aborted with `FENCED` when another process has taken over. */
  readonly losing: AbortController = new AbortController();

  /** Called with each heartbeat, so that idle resources can be given back. */
  onBeat: () => void = () => {};

  /** True while no successor is known and the ownership is not released. */
  get held(): boolean {
    return this.#state.kind === 'held';
  }

  /** Tells readers in other processes how far the log is durable. */
  publish(change: Partial<OwnerRecord> = {}): void {
    const { epoch, durable, end, inode } = this.log;
    this.#heartbeat.update({ epoch, durable, inode, ...end, ...change });
  }

  /** Notes that another process has taken over. */
  lose(reason: StoreError): void {
    this.#on({ kind: 'lose', reason });
  }

  /** Gives everything back but the lease, even when it throws, and records where the log ends. Idempotent. */
  release(last: Partial<OwnerRecord>): void {
    this.#on({ kind: 'release', last });
  }

  /**
   * Gives up the lease that keeps OpenHands away. Call it after {@link Ownership.release}, and again when it throws. A
   * successor's lease is left alone.
   */
  releaseLease(): void {
    this.#on({ kind: 'free' });
  }

  #beat(): void {
    try {
      this.#on({ kind: 'beat' });
    } catch {
      // A heartbeat that cannot be written is given with the next beat; no promise rests on it.
    }
  }

  /** Moves to the next state, then performs the effects: an effect that causes another event finds the new state. */
  #on(event: OwnershipEvent): void {
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    giveBack(...effects.map((effect) => () => this.#perform(effect)));
  }

  #perform(effect: OwnershipEffect): void {
    switch (effect.kind) {
      case 'heartbeat':
        return this.#giveHeartbeat();
      case 'renewLease':
        return this.#renewLease();
      case 'sayLast':
        return this.#sayLast(effect.last);
      case 'stop':
        return this.#stop();
      case 'close':
        return giveBack(
          () => this.#heartbeat.close(),
          () => this.log.close(),
        );
      case 'removeLease':
        return this.#removeLease();
      case 'abort':
        return this.losing.abort(effect.reason);
    }
  }

  #giveHeartbeat(): void {
    // fence: a successor shows in the log alone; without this look the heartbeat would be written over the successor's
    if (this.log.isFenced()) return this.lose(fenced(this.#path));
    this.#heartbeat.renew();
    this.onBeat();
    this.#on({ kind: 'renewed', at: this.#platform.now() });
  }

  #renewLease(): void {
    if (this.#lease.renew(this.files)) return;
    this.lose(
      new StoreError(
        'FENCED',
        `conversation ${this.#path.id} was taken over by an agent server of OpenHands; stop it there, and open it again`,
      ),
    );
  }

  #sayLast(last: Partial<OwnerRecord>): void {
    // fence: a successor has its own record and its own lease by now; when the look fails, the lease is tried all the same, which
    // is removed only if it is still ours
    if (this.log.isFenced()) this.#on({ kind: 'superseded' });
    else this.publish({ ...last, released: true });
  }

  #removeLease(): void {
    this.#lease.release();
    this.#on({ kind: 'freed' });
  }

  #stop(): void {
    this.#heart.cancel();
    dropToken(this.#heartbeat.record.token);
  }
}

/** Gives up an ownership whose conversation could not be opened. */
export function giveUpQuietly(ownership: Ownership): void {
  giveBackQuietly(
    () => ownership.release({}),
    () => ownership.releaseLease(),
  );
}
