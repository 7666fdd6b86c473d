import type { Conversation } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';

import { activeRun } from './active-runs.ts';
import { waitsForClient, waitsForPerson } from './call-facts.ts';
import { checkReadConversation } from './check-arguments.ts';
import { withDecision } from './call-decision.ts';
import { isUserMessage, throughTurn, turnStart } from './find-call.ts';
import { keptFailure, type TurnFailure } from './run-failure.ts';
import { isUnanswered } from './take-request.ts';
import type { CallItem, TurnItem } from './turn-item.ts';
import { turnItems } from './turn-items.ts';
import { isUntoldResult } from './untold-results.ts';

/**
 * The progress of a turn. `queued`: its message waits for the run before it. `running`: a run works on it, or is to begin. `waiting`: it
 * waits for a person, or for the client to answer a call. `stopped`: it was paused or interrupted.
 */
export type TurnStatus = 'queued' | 'running' | 'waiting' | 'stopped' | 'failed' | 'done';

/** The part of a log that answers a request. */
export interface Turn {
  /** The number of the event that it comes after; `undefined` for a message that waits for its turn. */
  readonly after: number | undefined;
  /** Its items; calls without a result are `open`, because only the state knows more. */
  readonly items: readonly TurnItem[];
  readonly status: TurnStatus;
  /** The calls that wait for a person, or for an output of the client; none in a turn that was ended. */
  readonly waiting: readonly CallItem[];
  /** The error that it ended with. */
  readonly failure: TurnFailure | undefined;
  /** The id of the user's message that ended it; nothing changes in it any more. */
  readonly next: string | undefined;
}

/** A conversation that is only read: opened, or as its log has it. */
export type ReadConversation = Pick<Conversation, 'id' | 'events' | 'state'>;

/** Resolves with the turn behind an event, from the log alone: `event` is that of a request that was taken. */
export async function turnBehind(conversation: ReadConversation, event: string): Promise<Turn> {
  checkReadConversation('turnBehind', conversation);
  const { events } = conversation;
  const after = await events.indexOf(event);
  if (after === undefined)
    return { after, items: [], status: 'queued', waiting: [], failure: undefined, next: undefined };
  // results may be of calls that were open in the turn before
  const start = await turnStart(events, after + 1);
  const told = await throughTurn(events, start, after);
  const end = told.findIndex(({ event: each, index }) => index > after && isUserMessage(each));
  // a call without a result waits for this turn, also if an earlier one began it
  const items = turnItems(end < 0 ? told : told.slice(0, end))
    .filter((item) => itemEnd(item) > after)
    .map((item) => withDecision(item, conversation.state));
  const next = told[end]?.event.id;
  const failure = failureOf(conversation, event, items);
  const isStopped = isStop(told[end - 1]?.event);
  const { state } = conversation;
  const isUntouched = items.every((item) => item.index <= after && itemEnd(item) === Infinity);
  // rejected calls are read by the model in a run that begins a moment after
  const isToRun = (isUntouched && isUnanswered(state, event)) || told.some((each) => isUntoldResult(state, each.event));
  const status = statusOf(conversation, { items, failure, next, isStopped, isToRun });
  const calls = items.flatMap((item) => (item.kind === 'call' && next === undefined ? [item] : []));
  const waiting = calls.filter((call) => waitsForPerson(call, state) || waitsForClient(call, state.calls));
  return { after, items, failure, next, status, waiting };
}

/** Returns the number of the event that told an item completely; infinity for a call without a result. */
export function itemEnd(item: TurnItem): number {
  return item.kind === 'call' ? (item.result?.index ?? Infinity) : item.index;
}

function isStop(event: Event | undefined): boolean {
  return event !== undefined && (isEvent(event, 'PauseEvent') || isEvent(event, 'InterruptEvent'));
}

function failureOf(conversation: ReadConversation, event: string, items: readonly TurnItem[]): TurnFailure | undefined {
  const last = items.findLast(({ kind }) => kind === 'error' || kind === 'answer');
  if (last?.kind === 'error') return { code: last.code, message: `${last.code}: ${last.detail}` };
  if (conversation.state.executionStatus === 'running') return undefined;
  return keptFailure(conversation, event, last?.index ?? -1);
}

interface TurnFacts extends Pick<Turn, 'items' | 'failure' | 'next'> {
  /** True if the last event before the next turn stopped the run. */
  readonly isStopped: boolean;
  /** True if a run is to begin, because nothing came of the event of the turn, or of its last results. */
  readonly isToRun: boolean;
}

function statusOf(conversation: ReadConversation, { items, failure, next, isStopped, isToRun }: TurnFacts): TurnStatus {
  const { calls, executionStatus } = conversation.state;
  const isAsking = items.some((item) => item.kind === 'call' && waitsForClient(item, calls));
  const isActive = next === undefined && !isAsking;
  if (isActive && (executionStatus === 'running' || activeRun(conversation))) return 'running';
  if (failure) return 'failed';
  if (next !== undefined) return isStopped ? 'stopped' : 'done';
  // a run begins a moment after its message was stored
  if (isActive && isToRun) return 'running';
  if (isAsking || executionStatus === 'waiting_for_confirmation') return 'waiting';
  return executionStatus === 'paused' ? 'stopped' : 'done';
}
