import type { Commit, CommitSeq, JournalEnd } from '@conv/core/store';
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
  /** Key of the conversation. A conversation made anew under the same id has another key. */
  readonly key: number;
  readonly feed: Feed;
  readonly end: JournalEnd;
}

/** The part of a reader that is the same for each database with a feed of changes. */
export abstract class FeedReader<Feed extends LogFeed = LogFeed> extends WatchableReader {
  /** Key of the conversation. A conversation made anew under the same id has another key. */
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
