import { wrongValue } from '@conv/core';

/** Throws `TypeError` if `events` is no list of events. */
export function checkEvents(place: string, events: unknown): void {
  if (typeof events === 'object' && events !== null && Symbol.iterator in events) return;
  throw new TypeError(wrongValue(`${place}: events`, 'a list such as await conversation.events.slice()', events));
}
