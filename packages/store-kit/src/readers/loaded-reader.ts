import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type EventIndex,
  type JournalEnd,
  type Snapshot,
} from '@conv/core/store';
import { timers, systemPlatform, type Platform } from '@conv/core/platform';
import { WatchableReader } from './watchable-reader.ts';

/** Milliseconds between two polls of a watch. */
const LOOK = 10;

/** Loads the commits of a {@link LoadedReader}. */
export interface LoadedSource {
  /** Returns the commits after those of the last call, in order. */
  load(): readonly Commit[] | Promise<readonly Commit[]>;
  /** Returns the newest snapshot of the store, even if it is ahead of the log. */
  snapshot(): Snapshot | undefined | Promise<Snapshot | undefined>;
}

/**
 * A reader for stores that hold a whole conversation in memory, which is the shortest way to a store that works: the
 * store says how commits are loaded, everything else is here. The cost of opening grows with the conversation; a store
 * for long conversations reads a snapshot, an index and a tail.
 */
export class LoadedReader extends WatchableReader {
  readonly #source: LoadedSource;
  readonly #platform: Platform;
  readonly #known: Commit[] = [];
  readonly #places = new Map<string, EventIndex>();

  /** Knows no commit before {@link LoadedReader.refresh}. */
  constructor(id: string, source: LoadedSource, platform: Platform = systemPlatform) {
    super(id);
    this.#platform = platform;
    this.#source = source;
  }

  get end(): JournalEnd {
    const last = this.#known.at(-1);
    const event = last ? last.firstEvent + last.events.length : 0;
    return { seq: toCommitSeq(this.#known.length), event: toEventIndex(event) };
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    for (const commit of await this.#source.load()) this.remember(commit);
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit> {
    this.assertOpen();
    yield* this.#known.filter(selects(range));
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    return this.#places.get(eventId);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const snapshot = await this.#source.snapshot();
    return snapshot && snapshot.seq <= this.end.seq ? snapshot : undefined;
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit> {
    return this.watchWith({ follow: (ring) => this.#atIntervals(ring) }, from, signal);
  }

  /** Adds the next commit. */
  protected remember(commit: Commit): void {
    this.#known.push(commit);
    commit.events.forEach(({ id }, at) => {
      if (!this.#places.has(id)) this.#places.set(id, toEventIndex(commit.firstEvent + at));
    });
  }

  /** Rings at intervals, because the store does not tell of changes. */
  #atIntervals(ring: () => void): () => void {
    const timer = timers.every(this.#platform, LOOK, ring);
    return () => timer.cancel();
  }
}

function selects(range: CommitRange): (commit: Commit) => boolean {
  if (!('fromEvent' in range)) {
    const { from = 0, to = Infinity } = range;
    return ({ seq }) => seq >= from && seq < to;
  }
  const { fromEvent, toEvent = Infinity } = range;
  if (toEvent <= fromEvent) return () => false;
  return ({ firstEvent, events }) => firstEvent + events.length > fromEvent && firstEvent < toEvent;
}
