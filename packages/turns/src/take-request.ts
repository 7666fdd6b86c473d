import { checkOptionNames, checks, type Conversation, type ConversationView, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';

import { answerRun } from './answer-run.ts';
import { beforeResults } from './before-results.ts';
import { checkConversation } from './check-arguments.ts';
import { checkMessage } from './check-message.ts';
import { checkRequest } from './check-request.ts';
import type { ClientRequest } from './client-request.ts';
import { forgetFailure, keepFailure } from './run-failure.ts';
import { takeDecisions } from './take-decisions.ts';
import { isUntold } from './untold-results.ts';

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
  /** The event that the answer comes after: the message, or the last one before the decisions or their results; `''` without one. */
  readonly event: string;
  /** The number of the last event before the answer, for `turns` and `untilRest`. */
  readonly after: number;
  /** The run that answers, which does not reject; `undefined` if none was begun, because one is active or nothing is to be answered. */
  readonly run: Promise<void> | undefined;
}

/**
 * Stores the decisions and the message of a request, and begins the run that answers, as {@link answerRun} says. Resolves when they are
 * durable. A repeated request changes nothing, and its answer is the same; it begins a run only if nothing came of it yet, because the
 * process ended before.
 *
 * Rejects `DENIED` for a decision of a sender without the right, `UNKNOWN_ACTION` for a decision on a call that the log does not have,
 * and `EVENT_TOO_LARGE`. Rejects `INVALID_INPUT` for a message while a call still waits for the client, because the message would wait with
 * it, and for a message with an approval, because the message would take the place of the call. A question to the user (`ask_user`)
 * is no such call, because a message answers it. A refused request stores nothing.
 */
export async function takeRequest(
  conversation: Conversation,
  { content, decisions = [], turn, earlier = [], id }: ClientRequest,
  options: TakeOptions = {},
): Promise<TakenRequest> {
  checkConversation('takeRequest', conversation);
  checkOptionNames('takeRequest', options, NAMES, checks.invalid);
  const { mayApprove = () => true, onError, platform = systemPlatform } = options;
  const { events } = conversation;
  const isKnown = id !== undefined && (await isThere(conversation, id));
  await checkRequest(conversation, decisions, isKnown ? undefined : content, mayApprove);
  if (content && !isKnown && earlier.length > 0)
    for (const each of [...earlier, { content }]) checkMessage(each.content);
  let after = events.length - 1;
  // a message is its own place, and a client of a server would have to ask for the event before it
  let event = content ? '' : ((await events.idAt(after)) ?? '');
  let taken = await takeDecisions(conversation, decisions);
  if (!content && taken === 'nothing') {
    after = (await beforeResults(events, decisions)) ?? after;
    event = (await events.idAt(after)) ?? '';
    if (await isUntold(conversation, decisions)) taken = 'decided';
  }
  if (content) {
    if (!isKnown) for (const each of earlier) await conversation.sendMessage([...each.content], { id: each.id });
    ({ id: event } = await conversation.sendMessage([...content], { id: id ?? platform.id() }));
    after = (await events.indexOf(event)) ?? events.length - 1;
    const isNew = !isKnown || isUnanswered(conversation.state, event);
    if (isNew && taken === 'nothing') taken = 'message';
  }
  const { length } = events;
  const answers = taken === 'message' && isUnanswered(conversation.state, event) ? event : undefined;
  const begun = answerRun(conversation, taken, { platform, answers });
  if (begun) forgetFailure(conversation);
  const run = begun?.catch((error: unknown) => {
    keepFailure(conversation, { event: turn ?? event, length }, error);
    onError?.(error);
  });
  return { event, after, run };
}

/** True if nothing came of a message: its run has not begun, or the process ended before. */
export function isUnanswered({ executionStatus, leafEventId }: ConversationView, message: string): boolean {
  return leafEventId === message && executionStatus !== 'running' && executionStatus !== 'finished';
}

async function isThere({ events, state }: Conversation, id: string): Promise<boolean> {
  return state.queue.some((queued) => queued.id === id) || (await events.indexOf(id)) !== undefined;
}
