import type { StateFields } from '@conv/core';
import { summaryColumns, type SummaryColumns } from '@conv/store-kit';

/** Limits the characters of an indexed value: indexes refuse long ones, which tell users nothing more. */
const LONGEST = 200;

const listed = ['title', 'executionStatus', 'createdAt', 'tags', 'parentId', 'forkedFrom'] as const;

/** True if lists show the same for two states. Compares by identity, because values are never changed in place. */
export function isListedAs(one: StateFields, other: StateFields): boolean {
  return listed.every((field) => one[field] === other[field]);
}

/** Returns the columns of a state for lists. Free text is JSON, because the database takes no NUL. */
export function toColumns(fields: StateFields): SummaryColumns {
  const [title, status, createdAt, tags, parentId, forkedFrom] = summaryColumns(fields);
  const parent = parentId === null ? null : indexable(parentId);
  return [title, indexable(status), indexable(createdAt), tags, parent, forkedFrom];
}

/** Selects the columns that `summaryIn` and `columnsIn` read. */
export const SUMMARY_COLUMNS: string =
  'c.id::text AS id, c.title, c.status, c.created_at, c.tags, c.parent_id, c.forked_from, ' +
  `to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at`;

/** Returns the start of a text, without NUL. */
export function indexable(text: string): string {
  return text.replaceAll('\0', '').slice(0, LONGEST);
}
