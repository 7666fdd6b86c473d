import type { Commit, NewCommit } from '@conv/core/store';
import { bodyJson, readCommitBody, toCommitBody } from '@conv/store-kit';
import type { CommitRow } from './calls.ts';

/** Returns a commit as it is stored: JSON without the numbers that the store assigns. The id comes first. */
export function toBody(commit: NewCommit): string {
  return bodyJson(toCommitBody(commit));
}

export function toCommit({ body, ...numbers }: CommitRow): Commit {
  return readCommitBody(body, numbers);
}
