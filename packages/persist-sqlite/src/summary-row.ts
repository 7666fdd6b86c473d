import { errorText } from '@conv/core';
import { toConversationId, type ConversationSummary } from '@conv/core/store';
import type { SummaryRow } from './calls.ts';

type Origin = NonNullable<ConversationSummary['forkedFrom']>;

/** Converts a row of a list. A damaged row is listed with the reason. */
export function toConversationSummary(row: SummaryRow): ConversationSummary {
  const { id, status, createdAt, updatedAt, parentId } = row;
  const rest = { id, status, createdAt, updatedAt, parentId };
  try {
    toConversationId(id);
    const tags = objectOf<ConversationSummary['tags']>(row.tags) ?? {};
    return { ...row, title: titleOf(row.title), tags, forkedFrom: objectOf<Origin>(row.forkedFrom) };
  } catch (error) {
    const reason = `its summary is damaged: ${errorText(error)}`;
    return { ...rest, title: null, tags: {}, forkedFrom: null, unreadable: `conversation ${id}: ${reason}` };
  }
}

function titleOf(text: string): string | null {
  const title: unknown = JSON.parse(text);
  if (title !== null && typeof title !== 'string') throw new TypeError(`the title is ${text}`);
  return title;
}

function objectOf<Value extends object>(text: string | null): Value | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  if (typeof value !== 'object' || Array.isArray(value))
    throw new TypeError(`an object was stored, and ${text} is there`);
  return value as Value | null;
}
