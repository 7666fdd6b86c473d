import type { StuckDetector } from '@conv/core';
import type { Event } from '@conv/core/events';

/** The state of a detector after these events of one branch, oldest first. */
export function foldEvents<State>(detector: StuckDetector<State>, events: Iterable<Event>): State {
  let state = detector.initial;
  for (const event of events) state = detector.apply(state, event);
  return state;
}

/**
 * Whether a conversation with these events goes round in a circle at their end: there is something to warn of or to stop.
 *
 * @example
 * ```ts
 * import { createStuckDetector, isStuck } from '@conv/stuck';
 * import { readEvent } from '@conv/core/events';
 *
 * const lines: readonly string[] = [];
 * const events = lines.map((line) => readEvent(JSON.parse(line)));
 * const stuck = isStuck(createStuckDetector(), events);
 * ```
 */
export function isStuck(detector: StuckDetector, events: Iterable<Event>): boolean {
  return detector.find(foldEvents(detector, events)) !== undefined;
}
