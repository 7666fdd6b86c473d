import { ConversationError } from '@conv/core';

/** The error for a server that has another log than it had: it was given an older copy of its store, and may have gone on from there. */
export function logChanged(conversationId: string, what: string): ConversationError {
  const message = `conversation ${conversationId}: ${what}; open it again to go on with what there is`;
  return new ConversationError('LOG_CHANGED', message, { conversationId });
}

/**
 * Means that the server shows a shorter log than before. That may pass: a server that reads the log of a killed process does not see
 * its end before it has taken over.
 */
export class ShorterLog extends ConversationError {
  constructor(conversationId: string, what: string) {
    super('SERVER_FAILED', `conversation ${conversationId}: ${what}`, { conversationId });
  }
}
