import type { EventsList } from '@conv/core';
import { isEvent, type Event, type ObservationLikeEvent } from '@conv/core/events';

import { checkEventsList } from './check-arguments.ts';
import { callOf, type NumberedEvent } from './items-of.ts';
import type { CallItem } from './turn-item.ts';

/** Number of events read at a time. */
export const PAGE = 64;

/** The most events read at a time. */
const LARGEST_PAGE = 1024;

/** The farthest that a result without an action id may be from its call: between them are only results of the same response. */
const FARTHEST = 1024;

/**
 * Resolves with the call that a result answers, when the call came before the cursor of the reader; `undefined` when the log does not
 * have it. The action of a result that does not name it is searched for backwards.
 */
export async function findCall(
  events: EventsList,
  result: ObservationLikeEvent,
  before: number,
): Promise<CallItem | undefined> {
  if ('action_id' in result && typeof result.action_id === 'string') return callAt(events, result.action_id);
  for await (const { event, index } of backwards(events, before)) {
    if (isEvent(event, 'ActionEvent') && event.tool_call_id === result.tool_call_id) return callOf(event, index);
    if (before - index >= FARTHEST) return undefined;
  }
  return undefined;
}

/** Resolves with the call of an action, without its result; `undefined` when the log does not have it. */
export async function callAt(events: EventsList, actionId: string): Promise<CallItem | undefined> {
  const index = await events.indexOf(actionId);
  const action = index === undefined ? undefined : await events.at(index);
  return index !== undefined && action && isEvent(action, 'ActionEvent') ? callOf(action, index) : undefined;
}

/**
 * Resolves with the number of the user message that began the newest turn before the event `before`, by default the newest turn of all;
 * 0 if the user has said nothing. Reads the turn backwards.
 */
export async function turnStart(events: EventsList, before?: number): Promise<number> {
  checkEventsList('turnStart', events);
  for await (const { index } of userMessages(events, before)) return index;
  return 0;
}

/** Yields the messages of the user before an event, by default before the end of the log, the newest first. */
export async function* userMessages(events: EventsList, before?: number): AsyncGenerator<NumberedEvent> {
  for await (const each of backwards(events, before ?? events.length)) if (isUserMessage(each.event)) yield each;
}

/** Resolves with the events of a span of turns: from a number to the message of the user behind `after`, which is the last one, or to the end. */
export async function throughTurn(events: EventsList, from: number, after: number): Promise<readonly NumberedEvent[]> {
  const found: NumberedEvent[] = [];
  // the log may grow meanwhile
  const { length } = events;
  for (let [at, size] = [from, PAGE]; at < length; at += size, size = Math.min(2 * size, LARGEST_PAGE)) {
    for (const each of await numbered(events, at, Math.min(at + size, length))) {
      found.push(each);
      if (each.index > after && isUserMessage(each.event)) return found;
    }
  }
  return found;
}

/** True for a message of the user. */
export function isUserMessage(event: Event): boolean {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

/** Yields the events before a number, the newest first; events that damage took are left out. */
async function* backwards(events: EventsList, before: number): AsyncGenerator<NumberedEvent> {
  for (let to = Math.min(before, events.length); to > 0; to -= PAGE) {
    const from = Math.max(0, to - PAGE);
    for (const entry of (await numbered(events, from, to)).toReversed()) yield entry;
  }
}

/** Resolves with the events of a span; events that damage took are left out, so numbers are not positions in the page. */
export async function numbered(events: EventsList, from: number, to: number): Promise<readonly NumberedEvent[]> {
  checkEventsList('numbered', events);
  const page = await events.slice(from, to);
  if (page.length === to - from) return page.map((event, offset) => ({ event, index: from + offset }));
  const found: NumberedEvent[] = [];
  for (let index = from; index < to; index++) {
    const event = await events.at(index);
    if (event) found.push({ event, index });
  }
  return found;
}
