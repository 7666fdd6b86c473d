import { ConversationError } from '@conv/core';

/** The error for a server that has another log than it had: it was given an older copy of its store, and may have gone on from there. */
export function logChanged(conversationId: string, what: string): ConversationError {
  const message = `conversation ${conversationId}: ${what}; open it again to go on with what there is`;
  return new ConversationError('LOG_CHANGED', message, { conversationId });
}
