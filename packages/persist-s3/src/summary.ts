import { initialFields, type StateFields } from '@conv/core';
import type { ConversationSummary } from '@conv/core/store';

/** What a list says about a conversation, as its manifest holds it. */
export interface Summary extends Omit<ConversationSummary, 'id'> {
  /** The first commit that it does not know of. */
  readonly seq: number;
}

/** The summary of a state. `now`: epoch milliseconds. */
export function summaryOf(fields: StateFields, seq: number, now: number): Summary {
  const { title, executionStatus: status, createdAt, tags, parentId, forkedFrom } = fields;
  return { title, status, createdAt, updatedAt: new Date(now).toISOString(), tags, parentId, forkedFrom, seq };
}

/** The summary of a conversation without a commit. */
export function emptySummary(now: number): Summary {
  return summaryOf({ ...initialFields, createdAt: new Date(now).toISOString() }, 0, now);
}

/** Whether two summaries say the same, but for when. */
export function saysTheSame(a: Summary, b: Summary): boolean {
  const text = (summary: Summary): string => JSON.stringify({ ...summary, updatedAt: '', seq: 0 });
  return text(a) === text(b);
}
