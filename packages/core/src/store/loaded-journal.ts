import type { StateFields } from '../state/fields.ts';
import type { Commit, NewCommit, Snapshot } from './commit.ts';
import type { Journal, JournalEnd } from './conversation-store.ts';
import { LoadedReader, type LoadedSource } from './loaded-reader.ts';
import { isStoreError, StoreError } from './store-error.ts';

/** Where a {@link LoadedJournal} has its commits from and puts them. */
export interface LoadedSink extends LoadedSource {
  /** Of this ownership. */
  readonly epoch: number;
  /** See `StoreFeatures.maxCommitBytes`. */
  readonly maxCommitBytes: number;
  /** Stores the commit behind the last one in one atomic step. `false`: another owner is there, and it is not stored. */
  store(commit: Commit, after: StateFields): boolean | Promise<boolean>;
  /** Keeps a snapshot. */
  saveSnapshot(snapshot: Snapshot): void | Promise<void>;
  /** Gives ownership up. Called once. */
  release(): void | Promise<void>;
}

/**
 * A journal on top of {@link LoadedReader}: the store says how one commit is stored; their order, what is refused with a refused
 * one, and the end of an owner that was taken over are here. What a store throws that is no `StoreError` becomes `UNAVAILABLE`.
 */
export class LoadedJournal extends LoadedReader implements Journal {
  readonly epoch: number;
  readonly #id: string;
  readonly #sink: LoadedSink;
  readonly #lost = new AbortController();
  #tail: Promise<unknown> = Promise.resolve();
  #loaded = false;
  #closing: Promise<void> | undefined;

  /** Knows nothing before {@link LoadedReader.refresh}, which is called once before it is handed out. */
  constructor(id: string, sink: LoadedSink) {
    super(id, sink);
    this.#id = id;
    this.#sink = sink;
    this.epoch = sink.epoch;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    if (this.#closing) return Promise.reject(new StoreError('CLOSED', `conversation ${this.#id}`));
    // What waits behind one that is refused is refused with it: it was made for a log that holds it.
    const stored = this.#tail.then(() => this.#store(commit, after));
    this.#tail = stored;
    stored.catch(() => {});
    return stored;
  }

  override async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    if (this.#loaded) return this.end;
    this.#loaded = true;
    return super.refresh();
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.assertOpen();
    await this.#sink.saveSnapshot(snapshot);
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #store(commit: NewCommit, after: StateFields): Promise<Commit> {
    try {
      this.lost.throwIfAborted();
      const { seq, event: firstEvent } = this.end;
      this.#assertSize(commit);
      const stored: Commit = { ...commit, seq, epoch: this.epoch, firstEvent };
      if (!(await this.#sink.store(stored, after)))
        this.#lost.abort(new StoreError('FENCED', `conversation ${this.#id} was taken over, or deleted`));
      this.lost.throwIfAborted();
      this.remember(stored);
      return stored;
    } catch (error) {
      this.#tail = Promise.resolve();
      if (isStoreError(error)) throw error;
      throw new StoreError('UNAVAILABLE', `conversation ${this.#id}`, { cause: error });
    }
  }

  #assertSize(commit: NewCommit): void {
    const bytes = Buffer.byteLength(JSON.stringify(commit));
    const limit = this.#sink.maxCommitBytes;
    if (bytes <= limit) return;
    const subject = `commit ${commit.id} of conversation ${this.#id}`;
    throw new StoreError('TOO_LARGE', `${subject} has ${bytes} bytes, at most ${limit} are taken`);
  }

  async #close(): Promise<void> {
    await this.#tail.catch(() => {});
    await this.#sink.release();
    await super.close();
  }
}
