import type { StateFields } from '@conv/core';
import type { Commit, NewCommit } from '@conv/core/store';
import { bodyJson, readCommitBody, toCommitBody } from '@conv/store-kit';
import type { CommitRow, SummaryColumns } from './calls.ts';

/** Returns a commit as it is stored: JSON without the numbers that the store assigns. The id comes first. */
export function toBody(commit: NewCommit): string {
  return bodyJson(toCommitBody(commit));
}

/** Returns the commit in a row. */
export function toCommit({ body, ...numbers }: CommitRow): Commit {
  return readCommitBody(body, numbers);
}

/** Returns the summary of a state for lists. */
export function toSummary(fields: StateFields): SummaryColumns {
  const { title, executionStatus, createdAt, tags, parentId, forkedFrom } = fields;
  return {
    title: JSON.stringify(title),
    status: executionStatus,
    createdAt,
    tags: JSON.stringify(tags),
    parentId,
    forkedFrom: forkedFrom && JSON.stringify(forkedFrom),
  };
}
