import { checks, type EventsList } from '@conv/core';
import { isObject } from '@conv/core/platform';

/** Checks a conversation. Throws `INVALID_INPUT` for a value that is none. */
export function checkConversation(place: string, given: unknown): void {
  if (isObject(given) && isEventsList(given['events']) && typeof given['subscribe'] === 'function') return;
  throw checks.invalid(checks.wrongValue(`${place}: conversation`, 'a conversation, opened or made before', given));
}

/** Checks a conversation that is only read. Throws `INVALID_INPUT` for a value that is none. */
export function checkReadConversation(place: string, given: unknown): void {
  if (isObject(given) && isEventsList(given['events']) && isObject(given['state'])) return;
  throw checks.invalid(checks.wrongValue(`${place}: conversation`, 'a conversation, opened or made before', given));
}

/** Checks the events of a conversation. Throws `INVALID_INPUT` for a value that is none. */
export function checkEventsList(place: string, given: unknown): void {
  if (isEventsList(given)) return;
  throw checks.invalid(checks.wrongValue(`${place}: events`, 'the events of a conversation', given));
}

/** Checks a list of numbered events. Throws `INVALID_INPUT` for a value that is none. */
export function checkNumberedEvents(place: string, given: unknown): void {
  if (typeof given === 'object' && given !== null && Symbol.iterator in given) return;
  throw checks.invalid(checks.wrongValue(`${place}: events`, 'a list such as [{ index: 0, event }]', given));
}

/** Checks an iteration of events that has not begun. Throws `INVALID_INPUT` for a value that is none. */
export function checkIteration(place: string, given: unknown): void {
  if (isObject(given) && typeof given['next'] === 'function' && typeof given['return'] === 'function') return;
  throw checks.invalid(checks.wrongValue(`${place}: iteration`, 'an iteration, as an async generator returns', given));
}

function isEventsList(given: unknown): given is EventsList {
  return isObject(given) && typeof given['length'] === 'number' && typeof given['slice'] === 'function';
}
