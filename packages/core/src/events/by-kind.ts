import type { Event, EventKind, EventOfKind, KnownEvent } from './event.ts';
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

/**
 * Combines one function per kind into a single function, for example for a subscriber's `onEvent`. `UnknownEvent` gets events
 * that cannot be read here; `other` gets every kind without a function.
 *
 * @example
 * ```ts
 * import { byKind } from '@conv/core/events';
 *
 * export const printTools = byKind({ ActionEvent: ({ tool_name }) => console.log(tool_name) });
 * ```
 */
export function byKind(
  handlers: { readonly [Kind in EventKind]?: (event: EventOfKind<Kind>) => void | Promise<void> } & {
    readonly UnknownEvent?: (event: UnreadEvent) => void | Promise<void>;
    readonly other?: (event: KnownEvent | UnreadEvent) => void | Promise<void>;
  },
): (event: Event) => void | Promise<void> {
  return (given) => {
    const event = narrowEvent(given);
    const handle = (handlers[event.kind] ?? handlers.other) as typeof handlers.other;
    return handle?.(event);
  };
}
