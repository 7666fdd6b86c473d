import type { Platform, Timer } from '@conv/core/platform';

import type { Bucket } from '../bucket/bucket.ts';
import type { Report } from './finding.ts';
import { endsIn, type KnownEnd } from '../log/known-ends.ts';
import type { ObjectKeys } from '../bucket/object-keys.ts';
import { sealJson } from '../objects/sealed-json.ts';

/** Renewals of a heartbeat in the time after which others may count it as too old. */
const RENEWALS = 3;
/** Resolution of `Last-Modified` and `Date` in milliseconds: they are whole seconds. */
const RESOLUTION = 1000;
/** Age in milliseconds at which others remove a heartbeat. One with ends stays longer, because it proves commits. */
const LEFT_FOR = 3_600_000;
const ENDS_LEFT_FOR = 30 * 24 * 3_600_000;
/** Limits the logs whose ends a heartbeat object records, and the manifests that it frees. */
const MOST_ENDS = 1000;
const MOST_FREED = 1000;

export interface StoreHeartbeatParts {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
  readonly platform: Platform;
  readonly report: Report;
  /** Age of a heartbeat, in milliseconds, from which others may take over. */
  readonly leaseTimeout: number;
  /** Called when the heartbeat is fresh again after it was too old. */
  readonly onStalled: () => void;
  /** Returns the ends of the logs that this store writes. */
  readonly ends: () => readonly KnownEnd[];
}

interface SignContent {
  readonly v: 1;
  readonly patience: number;
  readonly ends: readonly KnownEnd[];
  /** Nonces of manifests that name this store as the owner although no journal holds their conversations. */
  readonly freed?: readonly string[];
}

/**
 * Heartbeat of a store: one object for all its conversations, written again while the store owns any. Only the clock of the
 * service tells its age. It only decides which stores may try to take over; a wrong guess costs an owner its conversation, never
 * a commit (docs/decisions/0051-s3-ends.md).
 */
export class StoreHeartbeat {
  /** Names this store in manifests. */
  readonly server: string;
  readonly #parts: StoreHeartbeatParts;
  readonly #freed: string[] = [];
  #holders = 0;
  #raisedAt = -Infinity;
  #timer: Timer | undefined;
  #raising: Promise<void> | undefined;

  constructor(parts: StoreHeartbeatParts) {
    this.#parts = parts;
    this.server = parts.platform.id();
  }

  /** Resolves when the heartbeat is fresh. It stays fresh until {@link StoreHeartbeat.release} was called as often as this. */
  async hold(): Promise<void> {
    this.#holders++;
    try {
      const { platform, leaseTimeout } = this.#parts;
      const age = platform.now() - this.#raisedAt;
      if (age >= 0 && age < leaseTimeout / RENEWALS && this.#timer) return;
      this.#raising ??= this.#raise();
      await this.#raising;
      this.#schedule();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Ends one {@link StoreHeartbeat.hold}; the last one stops the renewals. The object stays until {@link StoreHeartbeat.lower}. */
  release(): void {
    this.#holders--;
    if (this.#holders > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /**
   * Tells others, by the next heartbeat, that this store does not own the conversation of a manifest that names it. The nonce stands for
   * this version alone, so an ownership that the store begins later is not freed.
   */
  free(nonce: string): void {
    this.#freed.push(nonce);
    if (this.#freed.length > MOST_FREED) this.#freed.shift();
  }

  /** Removes the heartbeat object, if there ever was one. */
  async lower(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#raising?.catch(() => undefined);
    if (this.#raisedAt === -Infinity) return;
    this.#raisedAt = -Infinity;
    await this.#parts.bucket.remove([this.#key(this.server)]);
  }

  /**
   * Resolves with the milliseconds for which another store still counts as the owner that the manifest with this nonce names. At 0
   * the conversation may be taken over.
   */
  async remaining(server: string, nonce: string, signal?: AbortSignal): Promise<number> {
    const { bucket, leaseTimeout } = this.#parts;
    const object = await bucket.get(this.#key(server), { signal });
    if (!object) return 0;
    const { patience, freed = [] } = contentOf(object.bytes);
    if (freed.includes(nonce)) return 0;
    const theirs = typeof patience === 'number' ? patience : leaseTimeout;
    // Remove the object that a crashed store has left. A store that wakes up after all writes its own again.
    const leftFor = endsIn(object.bytes).length > 0 ? ENDS_LEFT_FOR : LEFT_FOR;
    if (object.age > leftFor) await bucket.remove([this.#key(server)]).catch(() => undefined);
    return Math.max(0, theirs + RESOLUTION - object.age);
  }

  async #raise(): Promise<void> {
    const { bucket, platform, leaseTimeout, onStalled } = this.#parts;
    const ends = this.#parts.ends().slice(0, MOST_ENDS);
    const freed = this.#freed.length === 0 ? {} : { freed: this.#freed };
    const content: SignContent = { v: 1, patience: leaseTimeout, ends, ...freed };
    const before = this.#raisedAt;
    try {
      // Take the time before the request: the heartbeat is never older than we count it.
      const at = platform.now();
      await bucket.put(this.#key(this.server), sealJson(content), 'always');
      this.#raisedAt = at;
      if (at - before >= leaseTimeout && before !== -Infinity) onStalled();
    } finally {
      this.#raising = undefined;
    }
  }

  #schedule(): void {
    if (this.#timer || this.#holders === 0) return;
    const { platform, leaseTimeout, report } = this.#parts;
    const renew = (): void => {
      this.#timer = undefined;
      this.#raising ??= this.#raise();
      void this.#raising.catch((error: unknown) => report({ kind: 'signFailed', error })).then(() => this.#schedule());
    };
    this.#timer = platform.setTimer(leaseTimeout / RENEWALS, renew, { background: true });
  }

  #key(server: string): string {
    return this.#parts.keys.heartbeat(server);
  }
}

function contentOf(bytes: Buffer): Partial<SignContent> {
  try {
    return (JSON.parse(bytes.toString()) as Partial<SignContent> | null) ?? {};
  } catch {
    return {};
  }
}
