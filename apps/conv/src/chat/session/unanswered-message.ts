import type { ConversationView } from '@conv/core';

/** True if the newest event is a message of the user, and nothing works on its answer. */
export function hasUnansweredMessage({
  executionStatus,
  lastUserMessageId,
  leafEventId,
}: Pick<ConversationView, 'executionStatus' | 'lastUserMessageId' | 'leafEventId'>): boolean {
  return executionStatus === 'idle' && lastUserMessageId !== null && leafEventId === lastUserMessageId;
}
