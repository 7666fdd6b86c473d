import type { StateFields } from '@conv/core';
import {
  type Commit,
  type NewCommit,
  type Snapshot,
  type CommitSeq,
  type Journal,
  type JournalEnd,
  isStoreError,
  StoreError,
} from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { JournalWrites, type BodyAppend } from '../append/journal-writes.ts';
import { LoadedReader, type LoadedSource } from './loaded-reader.ts';

/** The reason why a commit was not acknowledged at once: its place was taken, or `store` rejected. */
type Failure = 'refused' | { readonly error: unknown };

/** The backend of a {@link LoadedJournal}: loads commits and stores new ones. */
export interface LoadedSink extends LoadedSource {
  /** The epoch of this ownership. */
  readonly epoch: number;
  /** See `StoreFeatures.maxCommitBytes`. */
  readonly maxCommitBytes: number;
  /**
   * Stores the commit in its place, the one after the last commit, in one atomic step. Resolves `false`, and stores nothing, if the
   * place is taken. A `StoreError` says that the commit is not stored; any other error leaves that open, and the journal settles it.
   */
  store(commit: Commit, after: StateFields): boolean | Promise<boolean>;
  /** Reads the place of this commit: the commit in it, `taken` if another owner has it without a commit, `undefined` if it is free. */
  readBack(seq: CommitSeq): Commit | 'taken' | undefined | Promise<Commit | 'taken' | undefined>;
  /** Keeps a snapshot. */
  saveSnapshot(snapshot: Snapshot): void | Promise<void>;
  /**
   * Gives ownership up. Called once. If `isSettled` is false, a request of this owner may still arrive: the next owner must fence it
   * off as if this one had died.
   */
  release(isSettled: boolean): void | Promise<void>;
}

/**
 * A journal on top of {@link LoadedReader}. The store says how it stores one commit and how it reads one back. The journal keeps the
 * order, refuses what was made for a refused commit, ends an owner that was taken over, and settles lost answers:
 *
 * | `store` | the place then holds | the journal |
 * | --- | --- | --- |
 * | resolves `true` | – | acknowledges |
 * | resolves `false` or rejects | this commit, by its id | acknowledges: only the answer was lost, or the client sent it twice |
 * | resolves `false` or rejects | anything else | rejects `FENCED` and aborts `lost` |
 * | rejects | nothing | stores once more, because the first request may still be on its way |
 * | rejects again, with any error | nothing | rejects `OUTCOME_UNKNOWN` and settles it at the next append |
 * | rejects `FENCED` the second time | this commit, anything else, nothing | acknowledges, `FENCED`, `OUTCOME_UNKNOWN`; aborts `lost` |
 * | rejects | cannot be read | rejects `OUTCOME_UNKNOWN` and settles it at the next append |
 */
export class LoadedJournal extends LoadedReader implements Journal {
  readonly epoch: number;
  readonly #sink: LoadedSink;
  readonly #writes: JournalWrites;
  #loaded = false;
  /** Ids of commits for the next place whose appends rejected `OUTCOME_UNKNOWN`: one of them may be stored. */
  readonly #unsettled = new Set<string>();

  /** Knows no commit before {@link LoadedReader.refresh}, which the store calls before it hands the journal out. */
  constructor(id: string, sink: LoadedSink, platform?: Platform) {
    super(id, sink, platform);
    this.#sink = sink;
    this.epoch = sink.epoch;
    // Commits are stored singly, because each needs the place after the commit before.
    this.#writes = new JournalWrites(id, { limits: { commits: 1, size: 0 }, store: (group) => this.#store(group) });
  }

  get lost(): AbortSignal {
    return this.#writes.lost;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.#writes.append(commit, after, this.#sink.maxCommitBytes);
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
    return this.#writes.close(() => this.#close());
  }

  async #store(group: readonly BodyAppend[]): Promise<void> {
    for (const { body, after, resolve } of group) {
      this.lost.throwIfAborted();
      for (;;) {
        const { seq, event: firstEvent } = this.end;
        const stored: Commit = { ...body.commit, seq, epoch: this.epoch, firstEvent };
        // Appends run one at a time, so the place stays the next one until this one is settled.
        const holder = await this.#put(stored, after);
        this.remember(holder);
        // The place is filled now, so no other request for it can take effect.
        this.#unsettled.clear();
        if (holder !== stored) continue;
        resolve(stored);
        break;
      }
    }
  }

  /** Fills the place of `commit`. Resolves with the commit in it: this commit, or an unsettled commit that arrived late. */
  async #put(commit: Commit, after: StateFields): Promise<Commit> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#tryToStore(commit, after, attempt === 1);
      if (failure === undefined) return commit;
      const holder = await this.#readBack(commit, failure);
      if (holder?.id === commit.id) return commit;
      if (holder && this.#unsettled.has(holder.id)) return holder;
      if (holder || failure === 'refused') throw this.#fence();
      // The first request may still be on its way. The second one fills the place or finds it filled.
      if (attempt === 2) throw this.#unknown(commit, failure.error);
    }
  }

  async #tryToStore(commit: Commit, after: StateFields, isFirst: boolean): Promise<Failure | undefined> {
    try {
      return (await this.#sink.store(commit, after)) ? undefined : 'refused';
    } catch (error) {
      const isTold = isStoreError(error) && error.code !== 'OUTCOME_UNKNOWN';
      if (isTold && isFirst) throw error;
      // A refusal of the second request says nothing about the first one, which the next owner may have found in its place.
      if (isStoreError(error, 'FENCED')) this.#writes.lose(error);
      return { error };
    }
  }

  /** Resolves with the commit in the place of `commit`, `undefined` if it is free. Rejects `FENCED` if another owner has it. */
  async #readBack(commit: Commit, failure: Failure): Promise<Commit | undefined> {
    let found: Commit | 'taken' | undefined;
    try {
      found = await this.#sink.readBack(commit.seq);
    } catch (error) {
      throw this.#unknown(commit, failure === 'refused' ? error : failure.error);
    }
    if (found === 'taken') throw this.#fence();
    return found;
  }

  #fence(): StoreError {
    return new StoreError(
      'FENCED',
      `conversation ${this.id} was taken over or deleted by another process; open it again`,
    );
  }

  #unknown(commit: Commit, cause: unknown): StoreError {
    this.#unsettled.add(commit.id);
    const subject = `commit ${commit.id} of conversation ${this.id}`;
    return new StoreError(
      'OUTCOME_UNKNOWN',
      `${subject}: no answer tells if it is stored, and neither does its place; open the conversation again to see`,
      {
        cause,
      },
    );
  }

  async #close(): Promise<void> {
    try {
      await this.#sink.release(this.#unsettled.size === 0);
    } catch (error) {
      if (isStoreError(error)) throw error;
      const subject = `conversation ${this.id}`;
      throw new StoreError(
        'UNAVAILABLE',
        `${subject} is closed, but its ownership could not be given up; close the store to give it up`,
        {
          cause: error,
        },
      );
    } finally {
      await super.close();
    }
  }
}
