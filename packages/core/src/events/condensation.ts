import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import { model, optional } from './model.ts';

/** Takes events out of what the model sees and may put a summary in their place. */
export interface Condensation extends EventBase {
  /** A set: the order means nothing. Absent means empty. */
  readonly forgotten_event_ids?: readonly string[];
  readonly summary?: string | null;
  /** Position of the summary in the view that is left. */
  readonly summary_offset?: number | null;
  readonly llm_response_id: string;
  readonly kind: 'Condensation';
}

/** Asks the agent to condense at its next step. */
export interface CondensationRequest extends EventBase {
  readonly kind: 'CondensationRequest';
}

/** The summary of a condensation, as it stands in a view; made there, with id `<condensation id>-summary`. */
export interface CondensationSummaryEvent extends EventBase {
  readonly summary: string;
  readonly kind: 'CondensationSummaryEvent';
}

/** A condensation as it is written. */
export const condensationSchema: z.ZodType<Condensation> = model('forbid', {
  ...eventBase,
  forgotten_event_ids: z.exactOptional(z.array(z.string())),
  summary: optional(z.string()),
  summary_offset: optional(z.int().min(0)),
  llm_response_id: z.string(),
  kind: z.literal('Condensation'),
});

/** A condensation request as it is written. */
export const condensationRequestSchema: z.ZodType<CondensationRequest> = model('forbid', {
  ...eventBase,
  kind: z.literal('CondensationRequest'),
});

/** A summary as it stands in a view. */
export const condensationSummaryEventSchema: z.ZodType<CondensationSummaryEvent> = model('forbid', {
  ...eventBase,
  summary: z.string(),
  kind: z.literal('CondensationSummaryEvent'),
});
