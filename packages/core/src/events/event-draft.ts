import type { EventKind, EventOfKind } from './event.ts';

/** The fields of a draft that the log fills in when they are absent. */
interface Stamped {
  readonly id?: string;
  readonly timestamp?: string;
  /** {@link ROOT_PARENT} makes the event a root; otherwise the log puts it behind HEAD. */
  readonly parent_id?: string | null;
}

/** An event of one kind before it is appended. */
export type EventDraftOfKind<Kind extends EventKind> = Omit<EventOfKind<Kind>, keyof Stamped> & Stamped;

/** An event before it is appended: id, time and parent are still to come. */
export type EventDraft = { [Kind in EventKind]: EventDraftOfKind<Kind> }[EventKind];
