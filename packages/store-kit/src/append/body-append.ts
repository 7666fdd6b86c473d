import type { StateFields } from '@conv/core';
import type { Commit, NewCommit } from '@conv/core/store';
import { bodyBytes, toCommitBody, type CommitBody } from '../records/commit-json.ts';
import type { AppendQueue, WaitingAppend } from './append-queue.ts';
import { commitTooLarge } from './commit-size.ts';

/** A commit with its text, on its way to a store. */
export interface BodyAppend<After = StateFields> extends WaitingAppend {
  readonly body: CommitBody;
  /** The state with the commit applied. */
  readonly after: After;
  /** Settles the append once the commit is stored. */
  readonly resolve: (commit: Commit) => void;
}

/** Queues a commit of a conversation as its text. Resolves when it is stored; rejects `TOO_LARGE` for more bytes than `limit`. */
export function appendBody<After>(
  queue: AppendQueue<BodyAppend<After>>,
  conversationId: string,
  commit: NewCommit,
  after: After,
  limit?: number,
): Promise<Commit> {
  return new Promise((resolve, reject) => {
    const body = toCommitBody(commit);
    const refusal = commitTooLarge({ id: commit.id, conversationId, bytes: bodyBytes(body) }, limit);
    queue.add({ body, size: body.members.length, after, refusal, resolve, reject });
  });
}
