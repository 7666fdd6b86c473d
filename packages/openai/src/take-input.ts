import type { Conversation } from '@conv/core';
import { takeRequest, type TakenRequest } from '@conv/turns';

import type { OpenAIHandlerOptions } from './handler-options.ts';
import type { RequestInput } from './request-input.ts';

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
  const id = request.headers.get('idempotency-key') ?? '';
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id) ? id : undefined;
}
