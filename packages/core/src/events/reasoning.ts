import { z } from 'zod';
import { isObject } from '../platform/json.ts';
import { model, optional, pickSchema } from './model.ts';

/** A model's visible thinking, with the provider's signature over it. */
export interface PlainThinkingBlock {
  readonly type?: 'thinking';
  readonly thinking: string;
  readonly signature?: string | null;
}

/** Thinking that the provider handed out encrypted. */
export interface RedactedThinkingBlock {
  readonly type?: 'redacted_thinking';
  readonly data: string;
}

/** Block of a model's thinking; both forms must be sent back unchanged. */
export type ThinkingBlock = PlainThinkingBlock | RedactedThinkingBlock;

/** The reasoning item of a Responses API reply. */
export interface ReasoningItem {
  readonly id?: string | null;
  readonly summary?: readonly string[];
  readonly content?: readonly string[] | null;
  readonly encrypted_content?: string | null;
  readonly status?: string | null;
}

const plainThinkingSchema: z.ZodType<PlainThinkingBlock> = model('ignore', {
  type: z.exactOptional(z.literal('thinking')),
  thinking: z.string(),
  signature: optional(z.string()),
});

const redactedThinkingSchema: z.ZodType<RedactedThinkingBlock> = model('ignore', {
  type: z.exactOptional(z.literal('redacted_thinking')),
  data: z.string(),
});

/** Either form of thinking block. */
export const thinkingBlockSchema: z.ZodType<ThinkingBlock> = pickSchema(
  {
    name: 'AnyThinkingBlock',
    members: { ThinkingBlock: plainThinkingSchema, RedactedThinkingBlock: redactedThinkingSchema },
  },
  (block) =>
    isObject(block) && (block['type'] === 'redacted_thinking' || (block['type'] === undefined && 'data' in block))
      ? redactedThinkingSchema
      : plainThinkingSchema,
);

/** A Responses API reasoning item. */
export const reasoningItemSchema: z.ZodType<ReasoningItem> = model('ignore', {
  id: optional(z.string()),
  summary: z.exactOptional(z.array(z.string())),
  content: optional(z.array(z.string())),
  encrypted_content: optional(z.string()),
  status: optional(z.string()),
});
