import { z } from 'zod';
import { type ErrorClassification, errorClassificationSchema } from './error-classification.ts';
import { type EventBase, eventBase } from './event-base.ts';
import { model, optional } from './model.ts';

/** A failure of the whole conversation; the model does not see it. */
export interface ConversationErrorEvent extends EventBase {
  /** Usually the name of the error class; also `MaxIterationsReached`, `MaxBudgetReached`. */
  readonly code: string;
  readonly detail: string;
  /** Absent only in old logs: then {@link classifyError} tells it from `code` and `detail`. */
  readonly classification?: ErrorClassification | null;
  readonly kind: 'ConversationErrorEvent';
}

/** Says on a socket that a client's frame could not be handled; never stored. */
export interface ServerErrorEvent extends EventBase {
  readonly code: string;
  readonly detail: string;
  readonly kind: 'ServerErrorEvent';
}

/** A conversation error as it is written. */
export const conversationErrorEventSchema: z.ZodType<ConversationErrorEvent> = model('forbid', {
  ...eventBase,
  code: z.string(),
  detail: z.string(),
  classification: optional(errorClassificationSchema),
  kind: z.literal('ConversationErrorEvent'),
});

/** A server error as it is sent. */
export const serverErrorEventSchema: z.ZodType<ServerErrorEvent> = model('forbid', {
  ...eventBase,
  code: z.string(),
  detail: z.string(),
  kind: z.literal('ServerErrorEvent'),
});
