import type { z } from 'zod';
import { conversationEvents } from './conversation-events.ts';
import { toolCallEvents } from './tool-call-events.ts';

/** The schema of every known kind. Reading keeps unknown fields but not their order: use `parseEvent` for that. */
export const eventSchemas: typeof conversationEvents & typeof toolCallEvents = {
  ...conversationEvents,
  ...toolCallEvents,
};

/** The name of a known kind of event. */
export type EventKind = keyof typeof eventSchemas;

/** An event whose kind and fields are those of the protocol; `kind` tells its members apart. */
export type KnownEvent = z.output<(typeof eventSchemas)[EventKind]>;

/** The known event of one kind. */
export type EventOfKind<Kind extends EventKind> = Extract<KnownEvent, { readonly kind: Kind }>;

/** Tool call of a model response. */
export type ActionEvent = EventOfKind<'ActionEvent'>;

/** The result of an executed action. */
export type ObservationEvent = EventOfKind<'ObservationEvent'>;

/** A message of the user, the agent, or the environment. */
export type MessageEvent = EventOfKind<'MessageEvent'>;

/**
 * An event of an unknown kind, or an event of a known kind with invalid fields (`eventGuards.unreadableReason` says why). It is
 * kept and passed on unchanged. If its fields are invalid, only `id` and `kind` are certain.
 */
export interface UnknownEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly source: string;
  readonly parent_id?: string | null;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * An event of a conversation: frozen plain JSON, exactly as it was written. Because an unknown event may carry any `kind`,
 * narrow with {@link isEvent} or `eventGuards.isKnownEvent`, not by comparing `kind`.
 */
export type Event = KnownEvent | UnknownEvent;

/** The fields of a draft that the log fills in when they are absent. */
interface Stamped {
  readonly id?: string;
  readonly timestamp?: string;
  /** {@link ROOT_PARENT} makes the event a root; otherwise the log puts it after HEAD. */
  readonly parent_id?: string | null;
}

/** An event of one kind before it is appended. */
export type EventDraftOfKind<Kind extends EventKind> = Omit<EventOfKind<Kind>, keyof Stamped> & Stamped;

/** An event before it is appended: id, time and parent are still to come. */
export type EventDraft = { [Kind in EventKind]: EventDraftOfKind<Kind> }[EventKind];

/** True if a kind is one of the protocol's. */
export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(eventSchemas, kind);
}
