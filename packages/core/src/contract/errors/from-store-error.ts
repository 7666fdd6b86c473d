import { isStoreError, type StoreErrorCode } from './store-error.ts';
import { ConversationError, type ConversationErrorCode } from './conversation-error.ts';

const CODES: Partial<Record<StoreErrorCode, ConversationErrorCode>> = {
  NOT_FOUND: 'NOT_FOUND',
  EXISTS: 'EXISTS',
  INVALID_ID: 'INVALID_INPUT',
  OWNED: 'OWNED',
  FENCED: 'FENCED',
  TOO_LARGE: 'EVENT_TOO_LARGE',
  CLOSED: 'CLOSED',
};

/**
 * Returns a store's error as a conversation's error, with the store's error as `cause`. Other errors, such as an abort, stay as
 * they are.
 */
export function fromStoreError(error: unknown, conversationId?: string): unknown {
  if (!isStoreError(error)) return error;
  return new ConversationError(CODES[error.code] ?? 'STORE_FAILED', error.text, {
    cause: error,
    ...(conversationId === undefined ? {} : { conversationId }),
  });
}
