import { z } from 'zod';
import { type Action, actionSchema } from './action.ts';
import { type TextContent, textContentSchema } from './content.ts';
import { type CriticResult, criticResultSchema } from './critic-result.ts';
import { type EventBase, eventBase } from './event-base.ts';
import { type MessageToolCall, messageToolCallSchema } from './message.ts';
import { model, optional } from './model.ts';
import { type ReasoningItem, reasoningItemSchema, type ThinkingBlock, thinkingBlockSchema } from './reasoning.ts';
import { type SecurityRisk, securityRiskSchema } from './security-risk.ts';

/**
 * Tool call of a model response. The calls of a response share `llm_response_id`; only the first of them carries `thought`,
 * `reasoning_content`, `thinking_blocks` and `responses_reasoning_item`.
 */
export interface ActionEvent extends EventBase {
  readonly thought: readonly TextContent[];
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly ThinkingBlock[];
  readonly responses_reasoning_item?: ReasoningItem | null;
  /** Absent or null when the call cannot be executed: an unknown tool or bad arguments. */
  readonly action?: Action | null;
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly tool_call: MessageToolCall;
  readonly llm_response_id: string;
  /** Absent means UNKNOWN. */
  readonly security_risk?: SecurityRisk;
  readonly critic_result?: CriticResult | null;
  readonly summary?: string | null;
  readonly kind: 'ActionEvent';
}

/** An action event as it is written. */
export const actionEventSchema: z.ZodType<ActionEvent> = model('forbid', {
  ...eventBase,
  thought: z.array(textContentSchema),
  reasoning_content: optional(z.string()),
  thinking_blocks: z.exactOptional(z.array(thinkingBlockSchema)),
  responses_reasoning_item: optional(reasoningItemSchema),
  action: optional(actionSchema),
  tool_name: z.string(),
  tool_call_id: z.string(),
  tool_call: messageToolCallSchema,
  llm_response_id: z.string(),
  security_risk: z.exactOptional(securityRiskSchema),
  critic_result: optional(criticResultSchema),
  summary: optional(z.string()),
  kind: z.literal('ActionEvent'),
});
