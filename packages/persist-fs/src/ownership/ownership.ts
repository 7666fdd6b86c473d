import { StoreError } from '@conv/core/store';
import type { ConversationPath } from '../disk/conversation-path.ts';
import { fenced } from '../disk/fenced.ts';
import { LEASE_TTL, type Lease } from './lease.ts';
import type { LogWriter } from '../log/log-writer.ts';
import type { OwnerRecord } from '../log/owner-file.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import type { OwnerSign } from './heartbeat.ts';
import { giveBack, giveBackQuietly } from '../disk/give-back.ts';
import { dropToken } from '../disk/process-identity.ts';

/** What one owner holds: the log, its sign of life and the lease that keeps OpenHands away. */
export class Ownership {
  readonly log: LogWriter;
  /** How its files are put in place of others. */
  readonly files: OwnFiles;
  readonly #path: ConversationPath;
  readonly #sign: OwnerSign;
  readonly #lease: Lease;
  readonly #lost = new AbortController();
  readonly #heart: NodeJS.Timeout;
  #leaseRenewed = Date.now();
  #ended = false;
  /** The lease is ours to give up. */
  #leased = true;

  constructor(path: ConversationPath, log: LogWriter, files: OwnFiles, sign: OwnerSign, lease: Lease) {
    this.#path = path;
    this.log = log;
    this.files = files;
    this.#sign = sign;
    this.#lease = lease;
    this.#heart = setInterval(() => this.#beat(), sign.record.patience / 3);
    this.#heart.unref();
  }

  /** Aborted with `FENCED` when another process has taken over. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Called with each sign of life: the moment to give back what is not in use. */
  onBeat: () => void = () => {};

  /** Whether it is still held, as far as known. */
  get held(): boolean {
    return !this.#ended && !this.#lost.signal.aborted;
  }

  /** Tells readers in other processes how far the log is durable. */
  publish(change: Partial<OwnerRecord> = {}): void {
    const { epoch, durable, end, inode } = this.log;
    this.#sign.update({ epoch, durable, inode, ...end, ...change });
  }

  lose(reason: StoreError): void {
    if (this.#lost.signal.aborted) return;
    this.#stop();
    this.#lost.abort(reason);
  }

  /** Gives everything back but the lease, leaving word of where the log ends. What is given back stays so when it throws. */
  release(last: Partial<OwnerRecord>): void {
    if (this.#ended) return;
    this.#ended = true;
    giveBack(
      () => {
        this.#leased = !this.#lost.signal.aborted && !this.log.isFenced();
        if (this.#leased) this.publish({ ...last, released: true });
      },
      () => this.#stop(),
      () => this.#sign.close(),
      () => this.log.close(),
    );
  }

  /**
   * Gives up the lease that keeps OpenHands away. Call it behind {@link Ownership.release}, and again when it throws. A
   * successor's lease is left alone.
   */
  releaseLease(): void {
    if (this.#leased) this.#lease.release();
    this.#leased = false;
  }

  #stop(): void {
    clearInterval(this.#heart);
    dropToken(this.#sign.record.token);
  }

  #beat(): void {
    try {
      if (this.log.isFenced()) {
        this.lose(fenced(this.#path));
        return;
      }
      this.#sign.renew();
      this.onBeat();
      const now = Date.now();
      if (now < this.#leaseRenewed + LEASE_TTL / 3) return;
      this.#leaseRenewed = now;
      if (!this.#lease.renew(this.files)) {
        this.lose(
          new StoreError('FENCED', `conversation ${this.#path.id} was taken over by an agent server of OpenHands`),
        );
      }
    } catch {
      // A sign of life that cannot be written is given with the next beat; no promise rests on it.
    }
  }
}

/** Gives up an ownership whose conversation could not be opened. */
export function giveUpQuietly(ownership: Ownership): void {
  giveBackQuietly(
    () => ownership.release({}),
    () => ownership.releaseLease(),
  );
}
