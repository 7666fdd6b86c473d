import type { Event, KnownEvent } from './event.ts';
import { isKnownEvent } from './guards.ts';
import type { JsonObject } from '../platform/json.ts';

/** Wraps an event of an unknown or unreadable kind, so that a `switch` on `kind` can tell it apart. No log contains it. */
export interface UnreadEvent {
  readonly kind: 'UnknownEvent';
  readonly id: string;
  /** The event as it is stored. */
  readonly stored: JsonObject;
}

/**
 * Returns the event itself when its kind and fields are the protocol's, and an {@link UnreadEvent} for any other, so that a `switch`
 * on `kind` narrows and is checked for completeness.
 *
 * @example
 * ```ts
 * import { narrowEvent, type Event } from '@conv/core/events';
 *
 * export function line(given: Event): string {
 *   const event = narrowEvent(given);
 *   return event.kind === 'ActionEvent' ? event.tool_name : event.kind;
 * }
 * ```
 */
export function narrowEvent(event: Event): KnownEvent | UnreadEvent {
  if (isKnownEvent(event)) return event;
  return { kind: 'UnknownEvent', id: event.id, stored: event as unknown as JsonObject };
}
