import type { Conversation } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { answerRun, type Taken } from '@conv/turns';

import { ApiError } from './api-error.ts';
import type { OpenAIHandlerOptions } from './handler-options.ts';
import type { Decision, RequestInput } from './request-input.ts';

/** A request that was taken. */
export interface TakenInput {
  /** The event that the response comes after. */
  readonly event: string;
  /** The run that answers; `undefined` if none was begun. */
  readonly run: Promise<void> | undefined;
}

/** Takes the decisions of a request, sends its message, and begins the run that answers. */
export async function takeInput(
  conversation: Conversation,
  { content, decisions }: RequestInput,
  request: Request,
  options: OpenAIHandlerOptions,
): Promise<TakenInput> {
  const { platform = systemPlatform } = options;
  if (content.length === 0 && decisions.length === 0)
    throw new ApiError(400, 'expected a message or a decision, found nothing new', 'input');
  const last = await conversation.events.idAt(conversation.events.length - 1);
  let taken = await decide(conversation, decisions, request, options);
  let event = last ?? '';
  if (content.length > 0) {
    const id = request.headers.get('idempotency-key');
    const isId = id !== null && /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id);
    const isKnown = isId && (await conversation.events.indexOf(id)) !== undefined;
    const sent = await conversation.sendMessage([...content], { id: isId ? id : platform.id() });
    event = sent.id;
    if (!isKnown && taken === 'nothing') taken = 'message';
  }
  const run = answerRun(conversation, taken, platform)?.catch((error: unknown) => options.onError?.(error));
  return { event, run };
}

async function decide(
  conversation: Conversation,
  decisions: readonly Decision[],
  request: Request,
  { mayApprove = () => true }: OpenAIHandlerOptions,
): Promise<Taken> {
  let taken: Taken = 'nothing';
  for (const decision of decisions) {
    const { action } = decision;
    const isOpen = conversation.state.pendingActions.some(({ id }) => id === action);
    // clients send outputs again that the log has
    if (!isOpen && (await conversation.events.indexOf(action)) !== undefined) continue;
    if (!isOpen) throw new ApiError(400, `expected a call that waits, found ${JSON.stringify(action)}`, 'input');
    if ('output' in decision) await conversation.answerCall(action, { content: decision.output, isError: false });
    else if (!(await mayApprove(request))) throw new ApiError(403, 'expected a sender who may approve');
    else if (decision.approved) await conversation.approve([action]);
    else await conversation.reject([action], decision.reason);
    const isApproved = 'approved' in decision && decision.approved;
    if (isApproved || taken === 'nothing') taken = isApproved ? 'approved' : 'decided';
  }
  return taken;
}
