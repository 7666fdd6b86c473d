import { ConversationError } from '@conv/core';

/** Returns the error for a conversation that does not exist. */
export function conversationNotFound(id: string): ConversationError {
  return new ConversationError('NOT_FOUND', `there is no conversation ${id}`, { conversationId: id });
}
