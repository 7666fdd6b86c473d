import type { ConversationError } from '@conv/core';

const STATUS: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  DENIED: 403,
  INVALID_INPUT: 400,
  UNKNOWN_ACTION: 400,
  UNSUPPORTED: 400,
  EVENT_TOO_LARGE: 413,
};

/** Returns the HTTP status of a request that a conversation refused: 409 for everything that may be different at another time. */
export function refusalStatus({ code }: ConversationError): number {
  return STATUS[code] ?? 409;
}
