import type { StateFields } from '@conv/core';
import { readEvent } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';
import type { CommitRow, SummaryColumns } from './calls.ts';

/** A commit as it is kept: JSON without the numbers that it gets when it is stored. The id comes first. */
export function toBody({ id, events, patch, records }: NewCommit): string {
  return JSON.stringify({ id, events, patch, records });
}

/** The commit in a row: here text becomes events, whatever their kinds and fields. */
export function toCommit({ seq, epoch, firstEvent, body }: CommitRow): Commit {
  const commit = JSON.parse(body) as NewCommit;
  return {
    ...commit,
    seq: toCommitSeq(seq),
    epoch,
    firstEvent: toEventIndex(firstEvent),
    events: commit.events.map(readEvent),
  };
}

/** What lists show of a state. */
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
