import { isConversationError, type ConversationError } from '@conv/core';
import { isStoreError, type OwnerInfo } from '@conv/core/store';

import { ApiError } from '../http/api-error.ts';

/** Why a command cannot be carried out by this process. */
export interface Refusal {
  readonly conversationId: string | undefined;
  /** Who has the conversation; `undefined` when it was taken over while the command was at work. */
  readonly owner: OwnerInfo | undefined;
}

/** What an error says of who has the conversation; `undefined` when it is about something else. */
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
