import type { Commit, CommitRange, CommitSeq, JournalEnd } from '@conv/core/store';
import { WatchableReader } from './watchable-reader.ts';

/** Tells the watchers of a store that logs have grown. */
export interface LogFeed {
  /** Calls `ring` when the log of this key may have grown, until the returned function is called. */
  follow(key: number, ring: () => void): () => void;
  /** Notes that a watcher could not read: all must ring when the store may be back. */
  report(): void;
}

/** Place of a conversation in a database. */
export interface FeedPlace<Feed extends LogFeed> {
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  /** Key of the conversation. A conversation created again under the same id has another key. */
  readonly key: number;
  readonly feed: Feed;
  readonly end: JournalEnd;
}

/** The next commits of a range, and the number of the commit to continue with. */
export interface LogPart {
  readonly commits: Iterable<Commit>;
  readonly next: number;
}

/** The part of a reader that is the same for each database with a feed of changes. */
export abstract class FeedReader<Feed extends LogFeed = LogFeed> extends WatchableReader {
  /** Key of the conversation. A conversation created again under the same id has another key. */
  readonly key: number;
  protected readonly feed: Feed;
  #end: JournalEnd;

  constructor({ id, key, feed, end }: FeedPlace<Feed>) {
    super(id);
    this.key = key;
    this.feed = feed;
    this.#end = end;
  }

  get end(): JournalEnd {
    return this.#end;
  }

  /** Moves to the durable end, unless {@link FeedReader.knowsEnd}. */
  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    const end = this.knowsEnd() ? undefined : await this.readEnd();
    if (end) this.moveEnd(end);
    return this.end;
  }

  /** Reads the durable end; resolves with `undefined` if it cannot be told. */
  protected abstract readEnd(): Promise<JournalEnd | undefined>;

  /** True for an owner, whose commits alone move the end. */
  protected knowsEnd(): boolean {
    return false;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const { end } = this;
    if (!('fromEvent' in range)) {
      yield* this.numbered(Math.max(0, range.from ?? 0), Math.min(range.to ?? end.seq, end.seq));
      return;
    }
    const [from, to] = [Math.max(0, range.fromEvent), Math.min(range.toEvent ?? end.event, end.event)];
    if (from < to) yield* this.withEvents(from, to, end.seq);
  }

  /** Reads the first commits from one number to before another. */
  protected abstract readPart(from: number, to: number): Promise<LogPart>;

  /** Yields the commits that hold the events from one number to before another; `end` is the end of the log. */
  protected abstract withEvents(from: number, to: number, end: number): AsyncGenerator<Commit, void, undefined>;

  /** Yields the commits from one number to before another. Fetches the next part while the caller works on this one. */
  protected async *numbered(from: number, to: number): AsyncGenerator<Commit, void, undefined> {
    let coming = from < to ? this.readPart(from, to) : undefined;
    while (coming) {
      const { commits, next } = await coming;
      this.assertOpen();
      coming = next < to ? this.readPart(next, to) : undefined;
      // A caller that leaves early never awaits this part; its rejection must not end the process.
      coming?.catch(() => {});
      yield* commits;
    }
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    const { feed, key } = this;
    // Once a watch has reported a failure, the feed wakes it when the database answers again.
    return this.watchWith(
      { follow: (ring) => feed.follow(key, ring), onUnavailable: () => feed.report() },
      from,
      signal,
    );
  }

  /** Replaces the known end. */
  protected moveEnd(end: JournalEnd): void {
    this.#end = end;
  }
}
