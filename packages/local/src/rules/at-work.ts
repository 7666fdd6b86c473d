import { ConversationError } from '@conv/core';

/** Returns the `BUSY` error for a command that does not go with a run. */
export function runInProgress(conversationId: string): ConversationError {
  const text = `a run of conversation ${conversationId} is in progress; wait for its end, or pause it`;
  return new ConversationError('BUSY', text, { conversationId });
}

/** Returns the `BUSY` error for a command that does not go with a goal. */
export function goalInProgress(conversationId: string): ConversationError {
  const text = `conversation ${conversationId} works on a goal; wait for its end, or stop it`;
  return new ConversationError('BUSY', text, { conversationId });
}
