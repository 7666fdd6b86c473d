import { checks, type StuckDetector } from '@conv/core';
import type { Event } from '@conv/core/events';

/** The state of a detector after these events of one branch, oldest first. */
export function foldEvents<State>(detector: StuckDetector<State>, events: Iterable<Event>): State {
  if (typeof detector?.apply !== 'function')
    throw new TypeError(checks.wrongValue('foldEvents: detector', 'createStuckDetector()', detector));
  if (!(Symbol.iterator in Object(events)))
    throw new TypeError(checks.wrongValue('foldEvents: events', 'the events of a branch', events));
  let state = detector.initial;
  for (const event of events) state = detector.apply(state, event);
  return state;
}

/**
 * True if the run of a conversation with these events is to be stopped: the model was warned of a loop, and went on. For a loop of which
 * it has not been warned yet, ask `detector.find(foldEvents(detector, events))`.
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
  const state = foldEvents(detector, events);
  return detector.find(state)?.action === 'stop';
}
