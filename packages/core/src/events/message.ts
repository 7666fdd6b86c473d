import { z } from 'zod';
import { type ContentPart, contentPartSchema } from './content.ts';
import { model, optional, pickSchema } from './model.ts';
import { type ReasoningItem, reasoningItemSchema, type ThinkingBlock, thinkingBlockSchema } from './reasoning.ts';

/** A tool call as the model made it. */
export interface MessageToolCall {
  /** The canonical id; also `call_id` of the Responses API. */
  readonly id: string;
  /** The item id of the Responses API, echoed when the history is sent again. */
  readonly responses_item_id?: string | null;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly origin: 'completion' | 'responses';
}

/** A message of the conversation with a model, in the wire's form. */
export interface Message {
  readonly role: 'user' | 'system' | 'assistant' | 'tool';
  /** Read it with {@link contentParts}: absent and null mean empty, a bare string means one text part. */
  readonly content?: readonly ContentPart[] | string | null;
  readonly tool_calls?: readonly MessageToolCall[] | null;
  readonly tool_call_id?: string | null;
  /** The tool's name, on tool messages. */
  readonly name?: string | null;
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly ThinkingBlock[];
  readonly responses_reasoning_item?: ReasoningItem | null;
}

/** A tool call as the model made it. */
export const messageToolCallSchema: z.ZodType<MessageToolCall> = model('ignore', {
  id: z.string(),
  responses_item_id: optional(z.string()),
  name: z.string(),
  arguments: z.string(),
  origin: z.enum(['completion', 'responses']),
});

const contentListSchema = z.array(contentPartSchema);
const contentStringSchema = z.string();
const contentSchema: z.ZodType<readonly ContentPart[] | string> = pickSchema(
  { name: 'MessageContent', members: { ContentParts: contentListSchema, ContentText: contentStringSchema } },
  (content) => (typeof content === 'string' ? contentStringSchema : contentListSchema),
);

/** A message in the wire's form; unknown keys are kept. */
export const messageSchema: z.ZodType<Message> = model('ignore', {
  role: z.enum(['user', 'system', 'assistant', 'tool']),
  content: optional(contentSchema),
  tool_calls: optional(z.array(messageToolCallSchema)),
  tool_call_id: optional(z.string()),
  name: optional(z.string()),
  reasoning_content: optional(z.string()),
  thinking_blocks: z.exactOptional(z.array(thinkingBlockSchema)),
  responses_reasoning_item: optional(reasoningItemSchema),
});
