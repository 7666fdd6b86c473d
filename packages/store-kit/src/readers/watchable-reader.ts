import {
  StoreError,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type Damage,
  type EventIndex,
  type JournalEnd,
  type JournalReader,
  type Snapshot,
} from '@conv/core/store';
import { withDamage } from '../records/damage-spans.ts';
import { Doorbell } from '../watch/doorbell.ts';
import { watchCommits } from '../watch/watch-commits.ts';

/** The hooks of a {@link WatchableReader} into a watch of its log. */
export interface WatchSource {
  /** Calls `ring` when the log may have grown, until the returned function is called. */
  readonly follow: (ring: () => void) => () => void;
  /** Finds the durable end of the log. Default: `refresh`. */
  readonly look?: (next: CommitSeq) => Promise<JournalEnd>;
  /** Waits for the next look. Default: until `bell` rings, which `follow`, an abort and `close` do. */
  readonly wait?: (bell: Doorbell) => Promise<void>;
  /** Called when the store could not be reached. From then on `follow` must ring when the store may be back. */
  readonly onUnavailable?: () => void;
}

/**
 * The part of a reader that does not depend on the backend: closing, the list of damage, and the watch. The adapter adds how the log
 * is read.
 *
 * @example
 * ```ts
 * class MyReader extends WatchableReader {
 *   watch(from: CommitSeq, signal: AbortSignal): AsyncIterable<Commit> {
 *     return this.watchWith({ follow: (ring) => this.#feed.subscribe(this.id, ring) }, from, signal);
 *   }
 * }
 * ```
 */
export abstract class WatchableReader implements JournalReader {
  /** The id of the conversation, a dashed UUID. */
  readonly id: string;
  /** Called once, when the reader is closed. */
  onClosed: () => void = () => {};
  #isClosed = false;
  #damage: readonly Damage[] = [];
  /** Made with the first watcher, because a server has many journals that nothing watches. */
  #bells: Set<Doorbell> | undefined;

  constructor(id: string) {
    this.id = id;
  }

  abstract get end(): JournalEnd;
  abstract refresh(): Promise<JournalEnd>;
  abstract commits(range?: CommitRange): AsyncIterable<Commit>;
  abstract locate(eventId: string): Promise<EventIndex | undefined>;
  abstract snapshot(): Promise<Snapshot | undefined>;
  abstract watch(from: CommitSeq, signal: AbortSignal): AsyncIterable<Commit>;

  get damage(): readonly Damage[] {
    return this.#damage;
  }

  /** Ends every watch. Idempotent. */
  async close(): Promise<void> {
    if (this.shut()) this.onClosed();
  }

  /** Closes the reader without telling `onClosed`. Returns false if it was closed already. */
  protected shut(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    for (const bell of this.#bells ?? []) bell.ring();
    return true;
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Throws `CLOSED` after {@link WatchableReader.close}. */
  protected assertOpen(): void {
    if (this.#isClosed) throw new StoreError('CLOSED', `conversation ${this.id} is closed; open it again`);
  }

  /** Adds a span to {@link WatchableReader.damage}. Returns true if the span was not covered yet. */
  protected addDamage(found: Damage): boolean {
    const known = this.#damage;
    this.#damage = withDamage(known, found);
    return this.#damage !== known;
  }

  /** Watches the log, see {@link watchCommits}. Gives back its listener and what `follow` holds when the watch ends. */
  protected async *watchWith(
    { follow, look, wait, onUnavailable }: WatchSource,
    from: CommitSeq,
    signal: AbortSignal,
  ): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const bell = new Doorbell();
    // `close` and an abort ring too: a waiting watch then looks at both and ends.
    (this.#bells ??= new Set()).add(bell);
    signal.addEventListener('abort', bell.ring, { once: true });
    const stop = follow(bell.ring);
    try {
      yield* watchCommits({
        from,
        signal,
        isClosed: () => this.#isClosed,
        look: look ?? (() => this.refresh()),
        commits: (range) => this.commits(range),
        wait: () => (wait ? wait(bell) : bell.rung()),
        ...(onUnavailable && { onUnavailable }),
      });
    } finally {
      stop();
      signal.removeEventListener('abort', bell.ring);
      this.#bells?.delete(bell);
    }
  }
}
