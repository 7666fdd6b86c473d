import { randomUUID } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import type { Clock } from './clock.ts';
import type { Report } from './finding.ts';
import { endsIn, type KnownEnd } from './known-ends.ts';
import type { ObjectKeys } from './object-keys.ts';
import { sealJson } from './sealed-json.ts';

/** A sign of life is renewed so many times before others may take it for old. */
const RENEWALS = 3;
/** `Last-Modified` and `Date` are whole seconds. */
const RESOLUTION = 1000;
/** A sign of life is taken away by others after so many milliseconds; one that says how far logs went stays longer. */
const LEFT_FOR = 3_600_000;
const ENDS_LEFT_FOR = 30 * 24 * 3_600_000;
/** A sign says so much of at most so many logs. */
const MOST_ENDS = 1000;

/** What a sign of life is made of. */
export interface ServerSignParts {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
  readonly clock: Clock;
  readonly report: Report;
  /** A store that was not heard of for so many milliseconds may be taken over from. */
  readonly patience: number;
  /** Called when the sign is up again after it was too old. */
  readonly onStalled: () => void;
  /** How far the logs go that this store writes. */
  readonly ends: () => readonly KnownEnd[];
}

interface SignContent {
  readonly v: 1;
  readonly patience: number;
  readonly ends: readonly KnownEnd[];
}

/**
 * The sign of life of a store: one object for all of its conversations, put anew as long as it owns any. Its age is told by the
 * clock of the service alone. It only decides who may try to take over; a wrong guess costs an owner, never a commit.
 */
export class ServerSign {
  /** Names this store in manifests. */
  readonly server: string = randomUUID();
  readonly #parts: ServerSignParts;
  #holders = 0;
  #raisedAt = -Infinity;
  #cancel: (() => void) | undefined;
  #raising: Promise<void> | undefined;

  constructor(parts: ServerSignParts) {
    this.#parts = parts;
  }

  /** Resolves when the sign is up and fresh; it is kept so until {@link ServerSign.release} was called as often as this. */
  async hold(): Promise<void> {
    this.#holders++;
    try {
      const { clock, patience } = this.#parts;
      const age = clock.now() - this.#raisedAt;
      if (age >= 0 && age < patience / RENEWALS && this.#cancel) return;
      this.#raising ??= this.#raise();
      await this.#raising;
      this.#schedule();
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(): void {
    this.#holders--;
    if (this.#holders > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Takes the sign away, if it ever was up. */
  async lower(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#raising?.catch(() => undefined);
    if (this.#raisedAt === -Infinity) return;
    this.#raisedAt = -Infinity;
    await this.#parts.bucket.remove([this.#key(this.server)]);
  }

  /** For how many more milliseconds another store counts as alive; 0: it may be taken over from. */
  async remaining(server: string, signal?: AbortSignal): Promise<number> {
    const { bucket, patience } = this.#parts;
    const object = await bucket.get(this.#key(server), { signal });
    if (!object) return 0;
    const theirs = patienceIn(object.bytes) ?? patience;
    // What a store that crashed has left; one that wakes up after all puts it up again.
    const leftFor = endsIn(object.bytes).length > 0 ? ENDS_LEFT_FOR : LEFT_FOR;
    if (object.age > leftFor) await bucket.remove([this.#key(server)]).catch(() => undefined);
    return Math.max(0, theirs + RESOLUTION - object.age);
  }

  async #raise(): Promise<void> {
    const { bucket, clock, patience, onStalled } = this.#parts;
    const content: SignContent = { v: 1, patience, ends: this.#parts.ends().slice(0, MOST_ENDS) };
    const before = this.#raisedAt;
    try {
      const at = clock.now();
      await bucket.put(this.#key(this.server), sealJson(content), 'always');
      this.#raisedAt = at;
      if (at - before >= patience && before !== -Infinity) onStalled();
    } finally {
      this.#raising = undefined;
    }
  }

  #schedule(): void {
    if (this.#cancel || this.#holders === 0) return;
    const { clock, patience, report } = this.#parts;
    const renew = (): void => {
      this.#cancel = undefined;
      this.#raising ??= this.#raise();
      void this.#raising.catch((error: unknown) => report({ kind: 'signFailed', error })).then(() => this.#schedule());
    };
    this.#cancel = clock.schedule(patience / RENEWALS, renew, 'background');
  }

  #key(server: string): string {
    return this.#parts.keys.sign(server);
  }
}

function patienceIn(bytes: Buffer): number | undefined {
  try {
    const { patience } = JSON.parse(bytes.toString()) as Partial<SignContent>;
    return typeof patience === 'number' ? patience : undefined;
  } catch {
    return undefined;
  }
}
