import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import { model, optional } from './model.ts';

/** The log of one model call, when logging was asked for. */
export interface LLMCompletionLogEvent extends EventBase {
  readonly filename: string;
  /** JSON text. */
  readonly log_data: string;
  readonly model_name?: string;
  readonly usage_id?: string;
  readonly kind: 'LLMCompletionLogEvent';
}

/** The token ids of one model call, from endpoints that return them. */
export interface TokenEvent extends EventBase {
  readonly prompt_token_ids: readonly number[];
  readonly response_token_ids: readonly number[];
  readonly kind: 'TokenEvent';
}

/** A chunk of a reply that is still being written; only on sockets, never stored. */
export interface StreamingDeltaEvent extends EventBase {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly kind: 'StreamingDeltaEvent';
}

/** A completion log as it is written. */
export const llmCompletionLogEventSchema: z.ZodType<LLMCompletionLogEvent> = model('forbid', {
  ...eventBase,
  filename: z.string(),
  log_data: z.string(),
  model_name: z.exactOptional(z.string()),
  usage_id: z.exactOptional(z.string()),
  kind: z.literal('LLMCompletionLogEvent'),
});

/** Token ids as they are written. */
export const tokenEventSchema: z.ZodType<TokenEvent> = model('forbid', {
  ...eventBase,
  prompt_token_ids: z.array(z.int()),
  response_token_ids: z.array(z.int()),
  kind: z.literal('TokenEvent'),
});

/** A delta as it is sent. */
export const streamingDeltaEventSchema: z.ZodType<StreamingDeltaEvent> = model('forbid', {
  ...eventBase,
  content: optional(z.string()),
  reasoning_content: optional(z.string()),
  kind: z.literal('StreamingDeltaEvent'),
});
