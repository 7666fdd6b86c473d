import { z } from 'zod';
import { isObject } from '../platform/json.ts';
import { model, optional, pickSchema } from './model.ts';

/** A model's visible thinking, with the provider's signature over it. */
const plainThinkingSchema = model('ignore', {
  type: z.exactOptional(z.literal('thinking')),
  thinking: z.string(),
  signature: optional(z.string()),
});

/** Thinking that the provider handed out encrypted. */
const redactedThinkingSchema = model('ignore', {
  type: z.exactOptional(z.literal('redacted_thinking')),
  data: z.string(),
});

/** Block of a model's thinking, plain or encrypted by the provider; both forms must be sent back unchanged. */
export type ThinkingBlock = z.output<typeof plainThinkingSchema> | z.output<typeof redactedThinkingSchema>;

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

export const reasoningItemSchema = model('ignore', {
  id: optional(z.string()),
  summary: z.exactOptional(z.array(z.string())),
  content: optional(z.array(z.string())),
  encrypted_content: optional(z.string()),
  status: optional(z.string()),
});

/** The reasoning item of a Responses API reply. */
export type ReasoningItem = z.output<typeof reasoningItemSchema>;
