import { z } from 'zod';
import { actionSchema } from './action.ts';
import { criticResultSchema, errorClassificationSchema } from './common-fields.ts';
import { textContentSchema } from './content.ts';
import { eventBase } from './event-base.ts';
import { messageToolCallSchema } from './message.ts';
import { anyJson, kindsOf, optional } from './model.ts';
import { observationSchema } from './observation.ts';
import { reasoningItemSchema, thinkingBlockSchema } from './reasoning.ts';

const securityRiskSchema = z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']);

/** The assessed danger of an action. LOW < MEDIUM < HIGH; UNKNOWN is comparable to none of them. */
export type SecurityRisk = z.output<typeof securityRiskSchema>;

const call = { tool_name: z.string(), tool_call_id: z.string() };

/** The schemas of the events of tool calls. */
export const toolCallEvents = kindsOf(eventBase, {
  /**
   * Tool call of a model response. The calls of a response share `llm_response_id`; only the first of them carries `thought`,
   * `reasoning_content`, `thinking_blocks` and `responses_reasoning_item`.
   */
  ActionEvent: {
    thought: z.array(textContentSchema),
    reasoning_content: optional(z.string()),
    thinking_blocks: z.exactOptional(z.array(thinkingBlockSchema)),
    responses_reasoning_item: optional(reasoningItemSchema),
    /** Absent or null when the call cannot be executed: an unknown tool or bad arguments. */
    action: optional(actionSchema),
    ...call,
    tool_call: messageToolCallSchema,
    llm_response_id: z.string(),
    /** Absent means UNKNOWN. */
    security_risk: z.exactOptional(securityRiskSchema),
    critic_result: optional(criticResultSchema),
    summary: optional(z.string()),
  },
  /** The result of an executed action. */
  ObservationEvent: {
    ...call,
    observation: observationSchema,
    /** Id of the action event. */
    action_id: z.string(),
    /** Text that the model sees after the result; absent means none. */
    extended_content: z.exactOptional(z.array(textContentSchema)),
  },
  /** The result of an action that a user rejected or a hook blocked. */
  UserRejectObservation: {
    ...call,
    /** Absent means `User rejected the action`. */
    rejection_reason: z.exactOptional(z.string()),
    /** Absent means `user`. */
    rejection_source: z.exactOptional(z.enum(['user', 'hook'])),
    /** Id of the action event. */
    action_id: z.string(),
  },
  /** The result of a call that failed outside its tool. It answers `tool_call_id` and names no action event. */
  AgentErrorEvent: {
    ...call,
    error: z.string(),
    /** Absent only in old logs. */
    classification: optional(errorClassificationSchema),
  },
  /** A tool call of an agent that runs as an external program. Of several with one `tool_call_id` the last one counts. */
  ACPToolCallEvent: {
    tool_call_id: z.string(),
    title: z.string(),
    /** `pending`, `in_progress`, `completed` or `failed`. */
    status: optional(z.string()),
    tool_kind: optional(z.string()),
    raw_input: z.exactOptional(anyJson),
    raw_output: z.exactOptional(anyJson),
    content: optional(z.array(anyJson)),
    /** Absent means false. */
    is_error: z.exactOptional(z.boolean()),
  },
});
