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

/** A store's error as a conversation's, with it as `cause`; anything else, an abort for one, as it is. */
export function fromStoreError(error: unknown, conversationId?: string): unknown {
  if (!isStoreError(error)) return error;
  const message = error.message.replace(/^\[\w+\] /, '');
  return new ConversationError(CODES[error.code] ?? 'STORE_FAILED', message, {
    cause: error,
    ...(conversationId === undefined ? {} : { conversationId }),
  });
}
