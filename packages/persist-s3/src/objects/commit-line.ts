import type { NewCommit } from '@conv/core/store';
import { commitJson, toCommitBody, type CommitBody, type CommitNumbers } from '@conv/store-kit';
import { encodeLine } from './line.ts';

/** Returns a commit as a line of a slot or a pack. */
export function commitLine(commit: NewCommit, numbers: CommitNumbers): Buffer {
  return bodyLine(toCommitBody(commit), numbers);
}

/** Returns the line of a commit that is serialised already. */
export function bodyLine(body: CommitBody, numbers: CommitNumbers): Buffer {
  return encodeLine(commitJson(body, numbers));
}
