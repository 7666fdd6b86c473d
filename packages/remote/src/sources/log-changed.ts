import { ConversationError } from '@conv/core';

/**
 * Returns the error for a server with a different log than before: it was restored from an older copy, and may have continued from
 * there.
 */
export function logChanged(conversationId: string, what: string): ConversationError {
  const message = `conversation ${conversationId}: ${what}; open it again to continue with the log that the server has`;
  return new ConversationError('LOG_CHANGED', message, { conversationId });
}

/**
 * Tells that the server shows a shorter log than before. That may be transient: a server that reads the log of a killed process
 * sees its end only after the takeover.
 */
export class ShorterLog extends ConversationError {
  constructor(conversationId: string, what: string) {
    super('SERVER_FAILED', `conversation ${conversationId}: ${what}`, { conversationId });
  }
}
