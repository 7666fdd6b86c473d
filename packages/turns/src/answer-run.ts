import {
  checkOptionNames,
  checks,
  isConversationError,
  type Conversation,
  type ConversationView,
  type OptionNames,
} from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { Backoff, systemPlatform, type Platform } from '@conv/core/platform';

import { keepRun } from './active-runs.ts';
import { checkConversation } from './check-arguments.ts';

/**
 * Says what a request changed: `message` for a message that nothing came of yet, `approved` if its sender approved an action, `decided`
 * if it only rejected or answered calls.
 */
export type Taken = 'nothing' | 'message' | 'approved' | 'decided';

/** Options of {@link answerRun}. */
export interface AnswerOptions {
  /** Gives the waits for another run that is beginning or ending. Default: the platform of the host. */
  readonly platform?: Platform | undefined;
  /**
   * The message that the run answers, the newest event. Another client may have had it answered a moment before, and the run does not begin then. Messages
   * of people that came since are answered with it. Default: the run answers what there is.
   */
  readonly answers?: string | undefined;
}

const NAMES: OptionNames<AnswerOptions> = { platform: true, answers: true };

/**
 * Resolves when the run that answers a request has ended; `undefined` if the request begins none. Running a conversation that waits for a
 * person approves what waits, so a request begins no run then, unless an action was approved or a message came instead. A request
 * that changed nothing, such as a repetition, starts no stopped run again. Rejects as `Conversation.run` does.
 */
export function answerRun(
  conversation: Conversation,
  taken: Taken,
  options: AnswerOptions = {},
): Promise<void> | undefined {
  checkConversation('answerRun', conversation);
  checkOptionNames('answerRun', options, NAMES, checks.invalid);
  const { state } = conversation;
  // a run at work answers the message before it ends
  return state.executionStatus !== 'running' && mayBegin(state, taken)
    ? begun(conversation, taken, options)
    : undefined;
}

/**
 * Runs when no other run is in the way: it may be beginning or ending, which the status does not tell. The run approves nothing that comes to wait
 * before it begins, except on a server without approvals by name, where it has to approve what its sender approved.
 */
async function begun(
  conversation: Conversation,
  taken: Taken,
  { platform = systemPlatform, answers: message }: AnswerOptions,
): Promise<void> {
  const delays = new Backoff(platform, { first: 10, most: 1000 });
  const { length } = conversation.events;
  let answers = message;
  const approves = taken === 'approved' && conversation.features.wholeDecisions === true;
  for (;;) {
    try {
      const run = conversation.run({ approves, ...(answers === undefined ? {} : { answers }) });
      keepRun(conversation, run);
      return void (await run);
    } catch (error) {
      if (!isConversationError(error, 'BUSY')) throw error;
    }
    do await delays.wait();
    while (conversation.state.executionStatus === 'running');
    // a run that wrote events meanwhile has answered the message, or was stopped
    if (answers !== undefined) answers = await newestAsked(conversation, answers);
    const { state, events } = conversation;
    const isPast = answers === undefined ? events.length > length : answers !== state.leafEventId;
    if (!mayBegin(state, isPast ? 'nothing' : taken)) return;
  }
}

/** Resolves with the last event behind a message that asks for an answer as the message does; with the message itself if something else came first. */
async function newestAsked({ state, events }: Conversation, message: string): Promise<string> {
  let newest = message;
  while (newest !== state.leafEventId) {
    const index = await events.indexOf(newest);
    const since = index === undefined ? [] : await events.slice(index + 1);
    const last = since.at(-1);
    if (!last || !since.every(isNoAnswer)) break;
    newest = last.id;
  }
  return newest;
}

/** True for messages of people, and for what a person does to the history without a run. */
function isNoAnswer(event: Event): boolean {
  if (isEvent(event, 'MessageEvent')) return event.source === 'user';
  return isEvent(event, 'CondensationRequest') || isEvent(event, 'Condensation');
}

function mayBegin(state: ConversationView, taken: Taken): boolean {
  const { executionStatus, pendingActions, calls } = state;
  if (executionStatus !== 'waiting_for_confirmation') return taken !== 'nothing';
  const undecided = pendingActions.filter(({ id }) => calls[id] !== 'started');
  if (undecided.some(({ id }) => calls[id] === 'approved')) return true;
  if (state.queue.some(({ draft }) => draft['source'] === 'user')) return true;
  // a server without approvals by name executes what was approved in the next run
  return taken === 'approved' || (undecided.length === 0 && taken !== 'nothing');
}
