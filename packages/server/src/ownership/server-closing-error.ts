import { ConversationError } from '@conv/core';

import { ApiError } from '../http/api-error.ts';

/** Error of a closing server that did not begin the requested work. */
export class ServerClosingError extends ConversationError {
  constructor(conversationId?: string) {
    super('CLOSED', 'the server is closing; try again later', conversationId === undefined ? {} : { conversationId });
  }
}

/** True if a closing server refused the request before anything was done for it. */
export function isServerClosing(error: unknown): boolean {
  return (
    error instanceof ServerClosingError || (error instanceof ApiError && error.cause instanceof ServerClosingError)
  );
}
