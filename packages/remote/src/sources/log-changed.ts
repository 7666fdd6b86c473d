import { ConversationError } from '@conv/core';

/** The error for a server that has another log than it had: it was given an older copy of its store, and may have gone on from there. */
export function logChanged(conversationId: string, what: string): ConversationError {
  const message = `conversation ${conversationId}: ${what}; open it again to go on with what there is`;
  return new ConversationError('LOG_CHANGED', message, { conversationId });
}

/**
 * A server shows less than it did. That may pass: one that reads what another wrote that was killed does not see the end before it
 * has taken over.
 */
export class ShorterLog extends ConversationError {
  constructor(conversationId: string, what: string) {
    super('SERVER_FAILED', `conversation ${conversationId}: ${what}`, { conversationId });
  }
}
