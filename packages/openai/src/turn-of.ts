import type { Conversation, ConversationView } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { waitsForCaller } from './output-items.ts';
import {
  numbered,
  turnItems,
  turns,
  turnStart,
  type FollowedConversation,
  type TurnChange,
  type TurnItem,
} from '@conv/turns';

/** A part of a log that a response tells. */
export interface Turn {
  /** The number of the event that the response comes after; `undefined` for a message that waits for its turn. */
  readonly after: number | undefined;
  readonly items: readonly TurnItem[];
  /** True if the user has said something since, so that the response does not change any more. */
  readonly isOver: boolean;
  /** The id of the user's message that ended it. */
  readonly next?: string | undefined;
}

/** Resolves with the turn that begins behind an event. */
export async function turnOf({ events }: Conversation, event: string): Promise<Turn> {
  const after = await events.indexOf(event);
  if (after === undefined) return { after, items: [], isOver: false };
  // results may be of calls that are asked about in the response before
  const start = await turnStart(events, after + 1);
  const told = await numbered(events, start, events.length);
  const end = told.findIndex(({ event: each, index }) => index > after && isUserMessage(each));
  const items = turnItems(end < 0 ? told : told.slice(0, end));
  const isNew = (item: TurnItem): boolean =>
    item.index > after || (item.kind === 'call' && (item.result?.index ?? -1) > after);
  return { after, items: items.filter(isNew), isOver: end >= 0, next: told[end]?.event.id };
}

function isUserMessage(event: Event): boolean {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

/** True if nothing came of an event that a run answers: its run has not begun, or the process ended before. */
export function isUnanswered({ executionStatus, leafEventId }: ConversationView, event: string): boolean {
  return leafEventId === event && executionStatus !== 'running' && executionStatus !== 'finished';
}

/** Yields the changes of a conversation until it is at rest, or the run has ended. A change may come a second time at the end. */
export async function* untilRest(
  conversation: FollowedConversation,
  {
    after,
    run,
    signal,
  }: { readonly after: number; readonly run?: Promise<unknown> | undefined; readonly signal: AbortSignal },
): AsyncGenerator<TurnChange> {
  const ended = new AbortController();
  run?.finally(() => ended.abort()).catch(() => {});
  let cursor = after;
  try {
    for await (const change of turns(conversation, { after, signal: AbortSignal.any([ended.signal, signal]) })) {
      ({ cursor } = change);
      yield change;
      if (isRest(change) && (!run || change.type === 'item')) return;
    }
  } catch (error) {
    if (signal.aborted || !ended.signal.aborted) throw error;
  }
  // the last events of a run may not have been told when it ended
  for await (const change of turns(conversation, { after: cursor, signal })) {
    yield change;
    if (change.type === 'state') return;
  }
}

/** Resolves when the conversation is at rest, or the run has ended. */
export async function rest(
  conversation: FollowedConversation,
  given: { readonly run: Promise<unknown> | undefined; readonly signal: AbortSignal },
): Promise<void> {
  for await (const _ of untilRest(conversation, { ...given, after: conversation.events.length - 1 }));
}

/** True if nothing goes on by itself: no run is active, or it waits for the output of a function of the caller. */
function isRest(change: TurnChange): boolean {
  if (change.type === 'item') return change.item.kind === 'call' && waitsForCaller(change.item);
  return change.type === 'state' && change.status !== 'running';
}
