import { z } from 'zod';
import { type ContentPart, contentPartSchema } from './content.ts';
import { model, optional, pickSchema } from './model.ts';
import { reasoningItemSchema, thinkingBlockSchema } from './reasoning.ts';

export const messageToolCallSchema = model('ignore', {
  /** The canonical id; also `call_id` of the Responses API. */
  id: z.string(),
  /** The item id of the Responses API, echoed when the history is sent again. */
  responses_item_id: optional(z.string()),
  name: z.string(),
  /** JSON text. */
  arguments: z.string(),
  origin: z.enum(['completion', 'responses']),
});

/** A tool call as the model made it. */
export type MessageToolCall = z.output<typeof messageToolCallSchema>;

const contentListSchema = z.array(contentPartSchema);
const contentStringSchema = z.string();
const contentSchema = pickSchema<readonly ContentPart[] | string>(
  { name: 'MessageContent', members: { ContentParts: contentListSchema, ContentText: contentStringSchema } },
  (content) => (typeof content === 'string' ? contentStringSchema : contentListSchema),
);

/** A message of the conversation with a model, in the wire's form; unknown keys are kept. */
export const messageSchema = model('ignore', {
  role: z.enum(['user', 'system', 'assistant', 'tool']),
  /** Read it with `contentParts`: absent and null mean empty, a bare string means one text part. */
  content: optional(contentSchema),
  tool_calls: optional(z.array(messageToolCallSchema)),
  tool_call_id: optional(z.string()),
  /** The tool's name, on tool messages. */
  name: optional(z.string()),
  reasoning_content: optional(z.string()),
  thinking_blocks: z.exactOptional(z.array(thinkingBlockSchema)),
  responses_reasoning_item: optional(reasoningItemSchema),
});
