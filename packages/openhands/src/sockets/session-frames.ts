import { z } from 'zod';
import { eventSchema } from '../rest/conversations/event-schema.ts';
import { integer, keptAs, named, oneOf, orNull } from '../schema/index.ts';

const whole = integer({ minimum: 0 });

/** The answer that a frame is about. Frames of a higher attempt replace the frames of a lower one. */
const item = { item_id: z.string(), attempt: integer({ minimum: 1 }) };

const members = {
  /** Sent once and first: which stored events follow before live ones. */
  sync: keptAs('SyncFrame', {
    type: z.literal('sync'),
    /** The cursor that the client came with; not included. Null: it asked for no history. */
    from_seq: orNull(integer({ minimum: -1 })),
    /** The last event of the log now; included. Null: the log is empty, or no history was asked for. */
    through_seq: orNull(whole),
  }),
  /** A stored event, and its number in its conversation. */
  durable: keptAs('DurableFrame', { type: z.literal('durable'), seq: whole, event: eventSchema }),
  /** An event that is never stored, such as a snapshot of the state; it does not move the cursor. */
  transient: keptAs('TransientFrame', { type: z.literal('transient'), event: eventSchema }),
  /** An answer begins. It ends with one durable frame of an event with this id, or with one `item_aborted`. */
  item_started: keptAs('ItemStartedFrame', {
    type: z.literal('item_started'),
    ...item,
    /** The last stored event when it began. */
    anchor_seq: orNull(whole),
  }),
  /** More of an answer, secrets masked. */
  delta: keptAs('DeltaFrame', {
    type: z.literal('delta'),
    ...item,
    /** Grows within an item's attempt. */
    order: whole,
    kind: z.enum(['text', 'reasoning']),
    content: z.string(),
  }),
  /** An answer ends without an event. */
  item_aborted: keptAs('ItemAbortedFrame', { type: z.literal('item_aborted'), ...item, reason: z.string() }),
  /**
   * The end of the output that a running tool printed since its last frame, masked. Never stored or sent again; parts may be left
   * out.
   */
  tool_output: keptAs('ToolOutputFrame', {
    type: z.literal('tool_output'),
    /** The id that the model gave to the call. */
    tool_call_id: z.string(),
    content: z.string(),
  }),
  /** An error that concerns this socket alone. */
  error: keptAs('ErrorFrame', { type: z.literal('error'), code: z.string(), detail: z.string() }),
};

/** Frame that the session socket sends. */
export type SessionFrame = z.output<(typeof members)[keyof typeof members]>;

/** The schema of {@link SessionFrame}. A frame of a type that is not known here is read as `undefined`: to be ignored. */
export const sessionFrameSchema = named(
  'SessionFrame',
  oneOf<SessionFrame | undefined>({ by: 'type', members, other: z.unknown().transform(() => undefined) }),
);
