import type { StateFields } from '../state/fields.ts';
import type { ConversationSummary } from './conversation-store.ts';

/** Returns the list entry of a conversation in this state. `updatedAt`: the time of the state, UTC, ISO 8601. Default: now. */
export function conversationSummary(
  id: string,
  fields: StateFields,
  updatedAt: string = new Date().toISOString(),
): ConversationSummary {
  const { title, executionStatus, createdAt, tags, parentId, forkedFrom } = fields;
  return { id, title, status: executionStatus, createdAt, updatedAt, tags, parentId, forkedFrom };
}
