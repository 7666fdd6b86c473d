import { z } from 'zod';
import type { Event } from '@conv/core/events';
import { eventSchema } from '../rest/conversations/event-schema.ts';
import { named } from '../schema/named.ts';
import { answer, orNull } from '../schema/objects.ts';
import { oneOf } from '../schema/one-of.ts';
import { integer } from '../schema/scalars.ts';

/** Sent once and first: which stored events follow before live ones. */
export interface SyncFrame {
  readonly type: 'sync';
  /** The cursor that the client came with; not included. Null: it asked for no history. */
  readonly from_seq: number | null;
  /** The last event of the log now; included. Null: the log is empty, or no history was asked for. */
  readonly through_seq: number | null;
}

/** A stored event. */
export interface DurableFrame {
  readonly type: 'durable';
  /** The event's number in its conversation. */
  readonly seq: number;
  readonly event: Event;
}

/** An event that is never stored, such as a snapshot of the state; it does not move the cursor. */
export interface TransientFrame {
  readonly type: 'transient';
  readonly event: Event;
}

/** An answer begins. It ends with one durable frame of an event with this id, or with one `item_aborted`. */
export interface ItemStartedFrame {
  readonly type: 'item_started';
  readonly item_id: string;
  /** A higher one replaces what came under a lower one. */
  readonly attempt: number;
  /** The last stored event when it began. */
  readonly anchor_seq: number | null;
}

/** More of an answer, secrets masked. */
export interface DeltaFrame {
  readonly type: 'delta';
  readonly item_id: string;
  readonly attempt: number;
  /** Grows within an item's attempt. */
  readonly order: number;
  readonly kind: 'text' | 'reasoning';
  readonly content: string;
}

/** An answer ends without an event. */
export interface ItemAbortedFrame {
  readonly type: 'item_aborted';
  readonly item_id: string;
  readonly attempt: number;
  readonly reason: string;
}

/** Something about this socket alone. */
export interface ErrorFrame {
  readonly type: 'error';
  readonly code: string;
  readonly detail: string;
}

/** Frame that the session socket sends. */
export type SessionFrame =
  | SyncFrame
  | DurableFrame
  | TransientFrame
  | ItemStartedFrame
  | DeltaFrame
  | ItemAbortedFrame
  | ErrorFrame;

const whole = integer({ minimum: 0 });
const item = { item_id: z.string(), attempt: integer({ minimum: 1 }) };

const syncFrameSchema = named(
  'SyncFrame',
  answer({ type: z.literal('sync'), from_seq: orNull(integer({ minimum: -1 })), through_seq: orNull(whole) }),
);
const durableFrameSchema = named(
  'DurableFrame',
  answer({ type: z.literal('durable'), seq: whole, event: eventSchema }),
);
const transientFrameSchema = named('TransientFrame', answer({ type: z.literal('transient'), event: eventSchema }));
const itemStartedFrameSchema = named(
  'ItemStartedFrame',
  answer({ type: z.literal('item_started'), ...item, anchor_seq: orNull(whole) }),
);
const deltaFrameSchema = named(
  'DeltaFrame',
  answer({
    type: z.literal('delta'),
    ...item,
    order: whole,
    kind: z.enum(['text', 'reasoning']),
    content: z.string(),
  }),
);
const itemAbortedFrameSchema = named(
  'ItemAbortedFrame',
  answer({ type: z.literal('item_aborted'), ...item, reason: z.string() }),
);
const errorFrameSchema = named(
  'ErrorFrame',
  answer({ type: z.literal('error'), code: z.string(), detail: z.string() }),
);

/** The schema of {@link SessionFrame}. A frame of a type that is not known here is read as `undefined`: to be ignored. */
export const sessionFrameSchema: z.ZodType<SessionFrame | undefined> = named(
  'SessionFrame',
  oneOf<SessionFrame | undefined>({
    by: 'type',
    members: {
      sync: syncFrameSchema,
      durable: durableFrameSchema,
      transient: transientFrameSchema,
      item_started: itemStartedFrameSchema,
      delta: deltaFrameSchema,
      item_aborted: itemAbortedFrameSchema,
      error: errorFrameSchema,
    },
    other: z.unknown().transform(() => undefined),
  }),
);
