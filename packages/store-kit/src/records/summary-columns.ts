import { errorText, type StateFields } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { toConversationId, type ConversationSummary } from '@conv/core/store';

/** A summary as the columns of a table: title, status, time of creation, tags, parent, source of a fork. Objects and titles are JSON. */
export type SummaryColumns = readonly [string, string, string, string, string | null, string | null];

/** A row of a table of summaries, by the names of its columns. */
export type SummaryRow = Readonly<Record<string, string | number | bigint | boolean | Uint8Array | null | undefined>>;

/** Returns the columns of a state. */
export function summaryColumns(fields: StateFields): SummaryColumns {
  const { title, executionStatus, createdAt, tags, parentId, forkedFrom } = fields;
  const source = forkedFrom && JSON.stringify(forkedFrom);
  return [JSON.stringify(title), executionStatus, createdAt, JSON.stringify(tags), parentId, source];
}

/** Returns the columns `title`, `status`, `created_at`, `tags`, `parent_id` and `forked_from` of a row. */
export function columnsIn(row: SummaryRow): SummaryColumns {
  const [title, status, createdAt, tags] = ['title', 'status', 'created_at', 'tags'].map((name) => String(row[name]));
  return [
    title ?? '',
    status ?? '',
    createdAt ?? '',
    tags ?? '',
    textOrNull(row['parent_id']),
    textOrNull(row['forked_from']),
  ];
}

/** Returns the summary in a row that also has `id` and `updated_at`. A damaged row, or one with `unreadable`, tells the reason. */
export function summaryIn(row: SummaryRow): ConversationSummary {
  const id = String(row['id']);
  const status = String(row['status']);
  const createdAt = String(row['created_at']);
  const updatedAt = String(row['updated_at']);
  const parentId = textOrNull(row['parent_id']);
  try {
    if (typeof row['unreadable'] === 'string') throw new Error(row['unreadable']);
    toConversationId(id);
    const title = titleIn(String(row['title']));
    const tags = tagsIn(String(row['tags']));
    const forkedFrom = objectIn<NonNullable<ConversationSummary['forkedFrom']>>(textOrNull(row['forked_from']));
    return { id, status, createdAt, updatedAt, parentId, title, tags, forkedFrom };
  } catch (error) {
    const unreadable = `conversation ${id}: its summary is damaged: ${errorText(error)}`;
    return { id, status, createdAt, updatedAt, parentId, title: null, tags: {}, forkedFrom: null, unreadable };
  }
}

function textOrNull(value: SummaryRow[string]): string | null {
  return value === null ? null : String(value);
}

/** Most conversations have no tags, which need no parser. */
function tagsIn(text: string): ConversationSummary['tags'] {
  return text === '{}' ? {} : (objectIn<ConversationSummary['tags']>(text) ?? {});
}

function titleIn(text: string): string | null {
  const title: unknown = JSON.parse(text);
  if (title === null || typeof title === 'string') return title;
  throw new TypeError(`the title is ${text}`);
}

function objectIn<Value extends object>(text: string | null): Value | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  if (value === null || isObject(value)) return value as Value | null;
  throw new TypeError(`an object was stored, and ${text} is there`);
}
