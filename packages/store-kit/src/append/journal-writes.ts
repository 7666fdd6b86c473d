import type { StateFields } from '@conv/core';
import { isStoreError, StoreError, type Commit, type NewCommit } from '@conv/core/store';
import {
  bodyBytes,
  consecutiveNumbers,
  numberedCommit,
  toCommitBody,
  type CommitBody,
  type CommitNumbers,
} from '../records/commit-json.ts';
import { AppendQueue, type AppendQueueParts, type WaitingAppend } from './append-queue.ts';
import { commitTooLarge } from './commit-size.ts';

/** A commit with its text, on its way to a store. */
export interface BodyAppend<After = StateFields> extends WaitingAppend {
  readonly body: CommitBody;
  /** The state with the commit applied. */
  readonly after: After;
  /** Settles the append once the commit is stored. */
  readonly resolve: (commit: Commit) => void;
}

/** The numbers of the commits in a group, and the end of the log after them. */
export interface NumberedGroup {
  readonly numbers: readonly CommitNumbers[];
  readonly seq: number;
  readonly event: number;
}

/** Returns the numbers that the commits of a group get, which are stored one after the other. */
export function numbersOf(group: readonly BodyAppend<unknown>[], first: CommitNumbers): NumberedGroup {
  const commits = group.map(({ body }) => body.commit);
  const events = commits.reduce((sum, commit) => sum + commit.events.length, 0);
  const numbers = consecutiveNumbers(commits, first);
  return { numbers, seq: first.seq + commits.length, event: first.firstEvent + events };
}

/** Resolves the appends of a group that is stored under these numbers. */
export function acknowledge(group: readonly BodyAppend<unknown>[], numbers: readonly CommitNumbers[]): void {
  group.forEach(({ body, resolve }, at) => resolve(numberedCommit(body.commit, numbers[at] as CommitNumbers)));
}

/**
 * The writing half of a journal: commits go through an {@link AppendQueue}, until the journal is closed or another owner has the
 * conversation. If `store` rejects `FENCED`, the conversation counts as lost.
 */
export class JournalWrites<After = StateFields> {
  readonly queue: AppendQueue<BodyAppend<After>>;
  readonly #id: string;
  readonly #lost: AbortController;
  #closing: Promise<void> | undefined;

  /** Takes the id of the conversation, for errors, and the controller that is aborted when the conversation is lost. */
  constructor(id: string, parts: AppendQueueParts<BodyAppend<After>>, lost: AbortController = new AbortController()) {
    this.#id = id;
    this.#lost = lost;
    const store = async (group: readonly BodyAppend<After>[]): Promise<void> => {
      try {
        await parts.store(group);
      } catch (error) {
        if (isStoreError(error, 'FENCED')) this.lose(error);
        throw error;
      }
    };
    this.queue = new AppendQueue({ ...parts, store });
  }

  /** Aborted with the reason once another owner has the conversation. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Ends the writing because another owner has the conversation. Returns false if an earlier call ended it. */
  lose(reason: unknown): boolean {
    if (this.lost.aborted) return false;
    this.#lost.abort(reason);
    return true;
  }

  /** Throws `CLOSED` from the first `close` on, or the reason of `lose`. */
  assert(): void {
    if (this.#closing) throw new StoreError('CLOSED', `conversation ${this.#id} is closed; open it again`);
    this.lost.throwIfAborted();
  }

  /** Queues a commit. Resolves when it is stored. Rejects as `Journal.append` does; `TOO_LARGE` for more bytes than `limit`. */
  async append(commit: NewCommit, after: After, limit?: number): Promise<Commit> {
    this.assert();
    const body = toCommitBody(commit);
    const refusal = commitTooLarge({ id: commit.id, conversationId: this.#id, bytes: bodyBytes(body) }, limit);
    return new Promise((resolve, reject) => {
      this.queue.add({ body, size: body.members.length, after, refusal, resolve, reject });
    });
  }

  /** Waits for what was appended, then calls `release`, both once; later calls resolve or reject as the first one. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= this.queue.settled().then(release);
    return this.#closing;
  }
}
