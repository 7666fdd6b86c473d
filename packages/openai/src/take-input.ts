import type { Conversation } from '@conv/core';
import { checkMessage, isEventId, takeRequest, type TakenRequest } from '@conv/turns';

import { ApiError } from './api-error.ts';
import type { ConversationRequest, OpenAIHandlerOptions } from './handler-options.ts';
import type { RequestInput } from './request-input.ts';

/** Makes the conversation of a request that continues none. Rejects what it could not take before it is made. */
export async function createFor(
  { content, decisions }: RequestInput,
  wanted: ConversationRequest,
  request: Request,
  { create }: OpenAIHandlerOptions,
): Promise<Conversation> {
  if (decisions.length > 0)
    throw new ApiError(400, 'expected previous_response_id with decisions on calls', 'previous_response_id');
  checkMessage(content);
  return create(wanted, request);
}

/** Takes the decisions of a request, sends its message, and begins the run that answers. */
export function takeInput(
  conversation: Conversation,
  { content, decisions }: RequestInput,
  request: Request,
  { mayApprove = () => true, onError, platform }: OpenAIHandlerOptions,
): Promise<TakenRequest> {
  const news = { content: content.length > 0 ? content : undefined, decisions, id: messageId(request) };
  return takeRequest(conversation, news, { mayApprove: () => mayApprove(request), onError, platform });
}

/** Returns the id that a request gives its message, so that it may be repeated. */
export function messageId(request: Request): string | undefined {
  const id = (request.headers.get('idempotency-key') ?? '').toLowerCase();
  return isEventId(id) ? id : undefined;
}
