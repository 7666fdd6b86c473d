import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import type { Json } from '../platform/json.ts';
import { model } from './model.ts';

/** Announces a change of the conversation's state; never moves HEAD, never written to a log by us. */
export interface ConversationStateUpdateEvent extends EventBase {
  /** Name of the changed field, or `full_state`. */
  readonly key?: string;
  /** A null is dropped where nulls are omitted: with key `security_analyzer` an absent value means "cleared". */
  readonly value?: Json;
  readonly kind: 'ConversationStateUpdateEvent';
}

/** A state update as it is written. */
export const conversationStateUpdateEventSchema: z.ZodType<ConversationStateUpdateEvent> = model('forbid', {
  ...eventBase,
  key: z.exactOptional(z.string()),
  value: z.exactOptional(z.custom<Json>((value) => value !== undefined)),
  kind: z.literal('ConversationStateUpdateEvent'),
});
