import { initialFields, type StateFields } from '@conv/core';
import type { ConversationSummary } from '@conv/core/store';

/** Summary of a conversation for lists, stored in its manifest. */
export interface Summary extends Omit<ConversationSummary, 'id'> {
  /** Number of the first commit that it does not know of. */
  readonly seq: number;
}

/** Makes the summary of a state. `now`: epoch milliseconds. */
export function summaryOf(fields: StateFields, seq: number, now: number): Summary {
  const { title, executionStatus: status, createdAt, tags, parentId, forkedFrom } = fields;
  return { title, status, createdAt, updatedAt: new Date(now).toISOString(), tags, parentId, forkedFrom, seq };
}

/** Makes the summary of a conversation without commits. */
export function emptySummary(now: number): Summary {
  return summaryOf({ ...initialFields, createdAt: new Date(now).toISOString() }, 0, now);
}

/** True if lists show two summaries as the same. */
export function showsTheSame(a: Summary, b: Summary): boolean {
  return a.updatedAt === b.updatedAt && saysTheSame(a, b);
}

/** True if two summaries are the same apart from their time and commit number. */
export function saysTheSame(a: Summary, b: Summary): boolean {
  const text = (summary: Summary): string => JSON.stringify({ ...summary, updatedAt: '', seq: 0 });
  return text(a) === text(b);
}
