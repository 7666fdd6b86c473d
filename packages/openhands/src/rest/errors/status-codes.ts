import type { ConversationErrorCode } from '@conv/core';

/** Error codes of clients by the status of an answer, unless the `codes` of a route say otherwise. */
export const STATUS_CODES: Readonly<Record<number, ConversationErrorCode>> = {
  400: 'INVALID_INPUT',
  401: 'DENIED',
  403: 'DENIED',
  404: 'NOT_FOUND',
  409: 'BUSY',
  413: 'EVENT_TOO_LARGE',
  422: 'INVALID_INPUT',
};
