import type { Event, EventKind, EventOfKind, KnownEvent } from './event.ts';
import { isKnownEvent } from './guards.ts';
import type { JsonObject } from '../platform/json.ts';

/** Stands for an event that cannot be read here, so that its kind tells it from all others. It is in no log. */
export interface UnreadEvent {
  readonly kind: 'UnknownEvent';
  readonly id: string;
  /** The event as it is stored. */
  readonly stored: JsonObject;
}

/** An event whose `kind` tells its fields, see {@link narrowEvent}. */
export type NarrowedEvent = KnownEvent | UnreadEvent;

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
 *   if (event.kind === 'ActionEvent') return event.tool_name;
 *   return event.kind === 'UnknownEvent' ? `unknown: ${event.id}` : event.kind;
 * }
 * ```
 */
export function narrowEvent(event: Event): NarrowedEvent {
  if (isKnownEvent(event)) return event;
  return { kind: 'UnknownEvent', id: event.id, stored: event as unknown as JsonObject };
}

/** Functions for events by their kind. `UnknownEvent` takes what cannot be read here, `other` every kind that has no function. */
export type EventHandlers = {
  readonly [Kind in EventKind]?: (event: EventOfKind<Kind>) => void | Promise<void>;
} & {
  /** Takes what cannot be read here. */
  readonly UnknownEvent?: (event: UnreadEvent) => void | Promise<void>;
  /** Takes every kind that has no function of its own. */
  readonly other?: (event: NarrowedEvent) => void | Promise<void>;
};

/**
 * Makes one function of functions for each kind, such as a subscriber's `onEvent`.
 *
 * @example
 * ```ts
 * import type { Conversation } from '@conv/core';
 * import { byKind } from '@conv/core/events';
 *
 * export function follow(conversation: Conversation): void {
 *   conversation.subscribe(byKind({ ActionEvent: ({ tool_name }) => console.log(tool_name) }));
 * }
 * ```
 */
export function byKind(handlers: EventHandlers): (event: Event) => void | Promise<void> {
  return (given) => {
    const event = narrowEvent(given);
    const handle = handlers[event.kind] ?? handlers.other;
    return (handle as ((event: NarrowedEvent) => void | Promise<void>) | undefined)?.(event);
  };
}
