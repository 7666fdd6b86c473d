import { errorText, type StateFields } from '@conv/core';
import type { ConversationSummary } from '@conv/core/store';
import type { Row } from './postgres-pool.ts';

/** Columns that lists show: title, status, time of creation, tags, parent, source of a fork. */
export type SummaryColumns = readonly [string, string, string, string, string | null, string | null];

/** Limits the characters of an indexed value: indexes refuse long ones, which tell users nothing more. */
const LONGEST = 200;

const listed = ['title', 'executionStatus', 'createdAt', 'tags', 'parentId', 'forkedFrom'] as const;

type SummaryFields = Pick<StateFields, (typeof listed)[number]>;

/** True if lists show the same for two states. Compares by identity, because values are never changed in place. */
export function isListedAs(one: SummaryFields, other: SummaryFields): boolean {
  return listed.every((field) => one[field] === other[field]);
}

/** Returns the columns of a state for lists. Free text is stored as JSON, because the database takes no NUL. */
export function toColumns({
  title,
  executionStatus,
  createdAt,
  tags,
  parentId,
  forkedFrom,
}: SummaryFields): SummaryColumns {
  return [
    JSON.stringify(title),
    indexable(executionStatus),
    indexable(createdAt),
    JSON.stringify(tags),
    parentId === null ? null : indexable(parentId),
    forkedFrom && JSON.stringify(forkedFrom),
  ];
}

/** Selects what {@link toSummary} and {@link columnsOf} read. */
export const SUMMARY_COLUMNS: string =
  'c.id::text AS id, c.title, c.status, c.created_at, c.tags, c.parent_id, c.forked_from, ' +
  `to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at`;

/** Returns the columns in a row of `summaries`. */
export function columnsOf(row: Row): SummaryColumns {
  return [
    String(row['title']),
    String(row['status']),
    String(row['created_at']),
    String(row['tags']),
    row['parent_id'] === null ? null : String(row['parent_id']),
    row['forked_from'] === null ? null : String(row['forked_from']),
  ];
}

/** Converts a row of `summaries` for lists. A damaged row is listed with the reason. */
export function toSummary(row: Row): ConversationSummary {
  const [title, status, createdAt, tags, parentId, forkedFrom] = columnsOf(row);
  const rest = { id: String(row['id']), status, createdAt, updatedAt: String(row['updated_at']), parentId };
  try {
    return {
      ...rest,
      title: JSON.parse(title) as string | null,
      tags: JSON.parse(tags) as ConversationSummary['tags'],
      forkedFrom: forkedFrom === null ? null : (JSON.parse(forkedFrom) as ConversationSummary['forkedFrom']),
    };
  } catch (error) {
    const reason = errorText(error);
    const unreadable = `conversation ${rest.id}: its summary is damaged: ${reason}`;
    return { ...rest, title: null, tags: {}, forkedFrom: null, unreadable };
  }
}

/** Returns the start of a text, without NUL. */
export function indexable(text: string): string {
  return text.replaceAll('\0', '').slice(0, LONGEST);
}
