import {
  checkOptionNames,
  checks,
  ConversationError,
  type Conversation,
  type ConversationView,
  type MessagePart,
  type OptionNames,
} from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';

import { keepRun } from './active-runs.ts';
import { answerRun, type Taken } from './answer-run.ts';
import { isClientCall } from './call-facts.ts';
import { checkConversation } from './check-arguments.ts';
import { forgetFailure, keepFailure } from './run-failure.ts';

/** A decision on a call that waits for a person, or the output of a call that waits for the client. */
export type Decision =
  | { readonly actionId: string; readonly approved: boolean; readonly reason?: string | undefined }
  | { readonly actionId: string; readonly output: string; readonly isError?: boolean };

/** The news of a request: decisions, a message, or both. */
export interface ClientRequest {
  readonly decisions?: readonly Decision[];
  /** The content of the user's message. Default: the request has none. */
  readonly content?: readonly MessagePart[] | undefined;
  /** The id of the message's event, the same when the request is repeated. Default: an id of its own for each request. */
  readonly id?: string | undefined;
}

/** Options of {@link takeRequest}. */
export interface TakeOptions {
  /** True if the sender may approve and reject calls. Default: every sender may. */
  readonly mayApprove?: (() => boolean | Promise<boolean>) | undefined;
  /** Receives the error of the run. Default: only the turn tells it, see `turnBehind`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Gives ids, and the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
}

const NAMES: OptionNames<TakeOptions> = { mayApprove: true, onError: true, platform: true };

/** A request that was taken. */
export interface TakenRequest {
  /** The event that the answer comes after: the message, or the last event before the decisions; `''` if there is none. */
  readonly event: string;
  /** The number of the last event before the answer, for `turns` and `untilRest`. */
  readonly after: number;
  /** The run that answers, which does not reject; `undefined` if none was begun, because one is active or nothing is to be answered. */
  readonly run: Promise<void> | undefined;
}

/**
 * Stores the decisions and the message of a request, and begins the run that answers, as {@link answerRun} says. Resolves when they are
 * durable. A repeated request changes nothing; it begins a run only if its message has none yet.
 *
 * Rejects `DENIED` for a decision of a sender without the right, `UNKNOWN_ACTION` for a decision on a call that the log does not have,
 * and `INVALID_INPUT` for a message while a call still waits for the client, because the message would wait with it.
 */
export async function takeRequest(
  conversation: Conversation,
  { content, decisions = [], id }: ClientRequest,
  options: TakeOptions = {},
): Promise<TakenRequest> {
  checkConversation('takeRequest', conversation);
  checkOptionNames('takeRequest', options, NAMES, checks.invalid);
  const { mayApprove = () => true, onError, platform = systemPlatform } = options;
  const { events } = conversation;
  const isKnown = id !== undefined && (await isThere(conversation, id));
  if (content && !isKnown) expectOutputs(conversation, decisions);
  let after = events.length - 1;
  let event = (await events.idAt(after)) ?? '';
  let taken = await decide(conversation, decisions, mayApprove);
  if (content) {
    ({ id: event } = await conversation.sendMessage([...content], { id: id ?? platform.id() }));
    after = (await events.indexOf(event)) ?? events.length - 1;
    const isNew = !isKnown || isUnanswered(conversation.state, event);
    if (isNew && taken === 'nothing') taken = 'message';
  }
  const begun = answerRun(conversation, taken, platform);
  if (begun) forgetFailure(conversation);
  const run = begun?.catch((error: unknown) => {
    keepFailure(conversation, event, error);
    onError?.(error);
  });
  if (run) keepRun(conversation, run);
  return { event, after, run };
}

/** True if nothing came of a message: its run has not begun, or the process ended before. */
export function isUnanswered({ executionStatus, leafEventId }: ConversationView, message: string): boolean {
  return leafEventId === message && executionStatus !== 'running' && executionStatus !== 'finished';
}

async function isThere({ events, state }: Conversation, id: string): Promise<boolean> {
  return state.queue.some((queued) => queued.id === id) || (await events.indexOf(id)) !== undefined;
}

function expectOutputs({ state }: Conversation, decisions: readonly Decision[]): void {
  const given = new Set(decisions.map(({ actionId }) => actionId));
  const open = state.pendingActions.find(({ id, action }) => {
    return isClientCall({ action: action ?? null }) && state.calls[id] === 'started' && !given.has(id);
  });
  if (open)
    throw new ConversationError(
      'INVALID_INPUT',
      `expected the output of call ${open.id} with the message, found none; nothing was sent`,
    );
}

async function decide(
  conversation: Conversation,
  decisions: readonly Decision[],
  mayApprove: () => boolean | Promise<boolean>,
): Promise<Taken> {
  let taken: Taken = 'nothing';
  for (const decision of decisions) {
    const { actionId } = decision;
    const { calls, pendingActions } = conversation.state;
    if (!pendingActions.some(({ id }) => id === actionId)) {
      // clients send again what the log has
      if ((await conversation.events.indexOf(actionId)) !== undefined) continue;
      throw new ConversationError('UNKNOWN_ACTION', `expected a call that waits, found ${JSON.stringify(actionId)}`);
    }
    if ('output' in decision) {
      const { output: content, isError = false } = decision;
      await conversation.answerCall(actionId, { content, isError });
      if (taken === 'nothing') taken = 'decided';
    } else if (calls[actionId] === undefined) {
      if (!(await mayApprove())) throw new ConversationError('DENIED', 'expected a sender who may approve');
      const { approved, reason } = decision;
      await (approved ? conversation.approve([actionId]) : conversation.reject([actionId], reason));
      if (approved || taken === 'nothing') taken = approved ? 'approved' : 'decided';
    }
  }
  return taken;
}
