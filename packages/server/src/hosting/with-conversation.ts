import { errorText, isConversationError } from '@conv/core';
import { isStoreError } from '@conv/core/store';

import type { ConversationHost } from './conversation-host.ts';
import { conversationNotFound } from './conversation-not-found.ts';
import type { HostedConversation } from './hosted-conversation.ts';
import { ApiError } from '../http/api-error.ts';
import type { Reading } from './stored-conversation.ts';

/** Loads a conversation for the time of `work`. Rejects as `ConversationHost.acquire` and as `work`. */
export async function withConversation<T>(
  host: ConversationHost,
  id: string,
  work: (conversation: HostedConversation) => Promise<T>,
): Promise<T> {
  using lease = await host.acquire(id);
  return await work(lease.conversation);
}

/** Opens a conversation for reading for the time of `work`. Rejects `NOT_FOUND`, and as `work`. */
export async function withReading<T>(
  host: ConversationHost,
  id: string,
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  await using reading = await host.read(id);
  if (!reading) throw conversationNotFound(id);
  return await work(reading);
}

/** As {@link withReading}, for requests about the past: the reading is cached for the next request. */
export async function withPast<T>(
  host: ConversationHost,
  id: string,
  work: (reading: Reading) => Promise<T>,
): Promise<T> {
  await using reading = await host.readPast(id);
  if (!reading) throw conversationNotFound(id);
  return await work(reading);
}

/**
 * Rejects {@link ApiError} with this status for an error of the agent, because it is no failure of the server. Examples are tools
 * that cannot be made, and a model that refuses. Rejects `ConversationError`, `StoreError` and `ApiError` unchanged.
 */
export async function orRefused<T>(status: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isConversationError(error) || isStoreError(error) || error instanceof ApiError || !(error instanceof Error))
      throw error;
    throw new ApiError(status, errorText(error), { cause: error });
  }
}
