import type { EventsList } from '@conv/core';
import { eventGuards } from '@conv/core/events';

import type { Decision } from './client-request.ts';
import { callAt, numbered, PAGE } from './find-call.ts';
import { answers } from './items-of.ts';
import type { CallItem } from './turn-item.ts';

/**
 * Resolves with the number of the event before the first result of the calls of these decisions; `undefined` while they have none. A
 * request that is sent again is answered from there. Only calls of the newest response count, because clients of chats send the outputs
 * of all earlier calls too.
 */
export async function beforeResults(events: EventsList, decisions: readonly Decision[]): Promise<number | undefined> {
  const calls: CallItem[] = [];
  for (const { actionId } of decisions) {
    const call = await callAt(events, actionId);
    if (call) calls.push(call);
  }
  const newest = calls.toSorted((one, other) => one.index - other.index).at(-1);
  if (!newest) return undefined;
  const together = calls.filter(({ event }) => event.llm_response_id === newest.event.llm_response_id);
  for (let from = newest.index + 1; from < events.length; from += PAGE)
    for (const { event, index } of await numbered(events, from, Math.min(from + PAGE, events.length)))
      if (eventGuards.isObservationLike(event) && together.some((call) => answers(call, event))) return index - 1;
  return undefined;
}
