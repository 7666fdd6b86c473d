import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import {
  type Conversation,
  type ConversationErrorCode,
  type ConversationView,
  isConversationError,
  type StateFields,
} from '@conv/core';
import { contentParts, type Event, isEvent, joinedText } from '@conv/core/events';

const SHORT: Readonly<Record<string, string>> = {
  SystemPromptEvent: 'system',
  ActionEvent: 'action',
  ObservationEvent: 'result',
  UserRejectObservation: 'reject',
  AgentErrorEvent: 'error',
  PauseEvent: 'pause',
  InterruptEvent: 'interrupt',
  ConversationErrorEvent: 'failure',
};

/** Resolves with the events from number `from` on, in short: `system`, `user`, `action`, `result` … */
export async function story(conversation: Conversation, from = 0): Promise<readonly string[]> {
  return (await conversation.events.slice(from)).map(shortKind);
}

/** Returns the short name of an event; the source of a message. */
export function shortKind(event: Event): string {
  return isEvent(event, 'MessageEvent') ? event.source : (SHORT[event.kind] ?? event.kind);
}

/** Returns the text of a message. */
export function textOf(event: Event | undefined): string {
  return event && isEvent(event, 'MessageEvent') ? joinedText(contentParts(event.llm_message)) : '';
}

/** Passes when `promise` rejects with a conversation error of this code. */
export async function refuses(code: ConversationErrorCode, what: string, promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => new Error('nothing: it resolved'),
    (error: unknown) => error,
  );
  assert.ok(isConversationError(outcome, code), `${what} rejects with ${code}, but did with ${inspect(outcome)}`);
  return outcome;
}

/** Returns a state as plain JSON, so that two states can be compared. */
export function plainState(state: ConversationView): unknown {
  const { executionStatus, confirmationPolicy, securityAnalyzer, maxIterations, leafEventId, tags, title } = state;
  const { stats, calls, queue, iteration, taskList, metrics, lastUserMessageId, agentState } = state;
  const pending = state.pendingActions.map(({ id }) => id);
  const settings = { executionStatus, confirmationPolicy, securityAnalyzer, maxIterations, tags, title };
  const rest = {
    leafEventId,
    lastUserMessageId,
    stats,
    calls,
    queue,
    iteration,
    taskList,
    metrics,
    agentState,
    pending,
  };
  return JSON.parse(JSON.stringify({ ...settings, ...rest }));
}

/** Resolves when the conversation is finished, now or later. */
export async function finished(conversation: Conversation): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = ({ executionStatus }: Pick<StateFields, 'executionStatus'>): void => {
    if (executionStatus === 'finished') resolve();
  };
  const subscription = conversation.subscribe({ onStateChange: look });
  look(conversation.state);
  await promise;
  subscription.unsubscribe();
}
