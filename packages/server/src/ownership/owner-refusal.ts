import { isConversationError, type ConversationError } from '@conv/core';
import { isStoreError, type OwnerInfo } from '@conv/core/store';

import { ApiError } from '../http/api-error.ts';

/** The reason that this process cannot execute a command. */
export interface Refusal {
  readonly conversationId: string | undefined;
  /** The owner of the conversation; `undefined` when it was taken over while the command was at work. */
  readonly owner: OwnerInfo | undefined;
}

/** Returns the refusal in an error about ownership; `undefined` for any other error. */
export function refusalIn(error: unknown): Refusal | undefined {
  const cause: unknown = error instanceof ApiError ? error.cause : error;
  if (isConversationError(cause, 'FENCED')) return { conversationId: cause.conversationId, owner: undefined };
  if (!isConversationError(cause, 'OWNED')) return undefined;
  const owner = ownerIn(cause);
  return owner && { conversationId: cause.conversationId, owner };
}

function ownerIn({ cause }: ConversationError): OwnerInfo | undefined {
  return isStoreError(cause) ? cause.owner : undefined;
}
