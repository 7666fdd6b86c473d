import { z } from 'zod';
import { type TextContent, textContentSchema } from './content.ts';
import { type ErrorClassification, errorClassificationSchema } from './error-classification.ts';
import { type EventBase, eventBase } from './event-base.ts';
import { model, optional } from './model.ts';
import { type Observation, observationSchema } from './observation.ts';

/** The result of an executed action. */
export interface ObservationEvent extends EventBase {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly observation: Observation;
  /** Id of the action event. */
  readonly action_id: string;
  /** Text that the model sees after the result; absent means none. */
  readonly extended_content?: readonly TextContent[];
  readonly kind: 'ObservationEvent';
}

/** The result of an action that a user rejected or a hook blocked. */
export interface UserRejectObservation extends EventBase {
  readonly tool_name: string;
  readonly tool_call_id: string;
  /** Absent means `User rejected the action`. */
  readonly rejection_reason?: string;
  /** Absent means `user`. */
  readonly rejection_source?: 'user' | 'hook';
  /** Id of the action event. */
  readonly action_id: string;
  readonly kind: 'UserRejectObservation';
}

/** The result of a call that failed outside its tool. It answers `tool_call_id` and names no action event. */
export interface AgentErrorEvent extends EventBase {
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly error: string;
  /** Absent only in old logs. */
  readonly classification?: ErrorClassification | null;
  readonly kind: 'AgentErrorEvent';
}

/** An observation event as it is written. */
export const observationEventSchema: z.ZodType<ObservationEvent> = model('forbid', {
  ...eventBase,
  tool_name: z.string(),
  tool_call_id: z.string(),
  observation: observationSchema,
  action_id: z.string(),
  extended_content: z.exactOptional(z.array(textContentSchema)),
  kind: z.literal('ObservationEvent'),
});

/** A rejection as it is written. */
export const userRejectObservationSchema: z.ZodType<UserRejectObservation> = model('forbid', {
  ...eventBase,
  tool_name: z.string(),
  tool_call_id: z.string(),
  rejection_reason: z.exactOptional(z.string()),
  rejection_source: z.exactOptional(z.enum(['user', 'hook'])),
  action_id: z.string(),
  kind: z.literal('UserRejectObservation'),
});

/** An agent error as it is written. */
export const agentErrorEventSchema: z.ZodType<AgentErrorEvent> = model('forbid', {
  ...eventBase,
  tool_name: z.string(),
  tool_call_id: z.string(),
  error: z.string(),
  classification: optional(errorClassificationSchema),
  kind: z.literal('AgentErrorEvent'),
});
