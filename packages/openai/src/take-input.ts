import type { Conversation } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { answerRun, type Taken } from '@conv/turns';

import { ApiError } from './api-error.ts';
import type { OpenAIHandlerOptions } from './handler-options.ts';
import { isFunctionCall } from './output-items.ts';
import type { Decision, RequestInput } from './request-input.ts';
import { forgetFailure, keepFailure } from './run-failure.ts';
import { isUnanswered } from './turn-of.ts';

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
  const given = messageId(request);
  const isKnown = given !== undefined && (await isThere(conversation, given));
  if (content.length > 0 && !isKnown) expectOutputs(conversation, decisions);
  const last = await conversation.events.idAt(conversation.events.length - 1);
  let taken = await decide(conversation, decisions, request, options);
  let event = last ?? '';
  if (content.length > 0) {
    const sent = await conversation.sendMessage([...content], { id: given ?? platform.id() });
    event = sent.id;
    const isNew = !isKnown || isUnanswered(conversation.state, event);
    if (isNew && taken === 'nothing') taken = 'message';
  }
  const begun = answerRun(conversation, taken, platform);
  if (begun) forgetFailure(conversation);
  const run = begun?.catch((error: unknown) => {
    keepFailure(conversation, event, error);
    options.onError?.(error);
  });
  return { event, run };
}

/** Returns the id that a request gives its message, so that it may be repeated. */
export function messageId(request: Request): string | undefined {
  const id = request.headers.get('idempotency-key') ?? '';
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id) ? id : undefined;
}

async function isThere({ events, state }: Conversation, id: string): Promise<boolean> {
  return state.queue.some((queued) => queued.id === id) || (await events.indexOf(id)) !== undefined;
}

/** Throws {@link ApiError} 400 if a call still waits for the caller: a message behind it would wait with it. */
function expectOutputs({ state }: Conversation, decisions: readonly Decision[]): void {
  const given = new Set(decisions.map(({ action }) => action));
  const open = state.pendingActions.find(
    ({ id, action }) => isFunctionCall({ action }) && state.calls[id] === 'started' && !given.has(id),
  );
  if (open) throw new ApiError(400, `expected the output of call ${open.id} with the message`, 'input');
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
