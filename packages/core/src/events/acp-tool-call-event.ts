import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import type { Json } from '../platform/json.ts';
import { model, optional } from './model.ts';

/** A tool call of an agent that runs as an external program. Of several with one `tool_call_id` the last one counts. */
export interface ACPToolCallEvent extends EventBase {
  readonly tool_call_id: string;
  readonly title: string;
  /** `pending`, `in_progress`, `completed` or `failed`. */
  readonly status?: string | null;
  readonly tool_kind?: string | null;
  readonly raw_input?: Json;
  readonly raw_output?: Json;
  readonly content?: readonly Json[] | null;
  /** Absent means false. */
  readonly is_error?: boolean;
  readonly kind: 'ACPToolCallEvent';
}

const anyJson = z.custom<Json>((value) => value !== undefined);

/** A tool call of an external agent as it is written. */
export const acpToolCallEventSchema: z.ZodType<ACPToolCallEvent> = model('forbid', {
  ...eventBase,
  tool_call_id: z.string(),
  title: z.string(),
  status: optional(z.string()),
  tool_kind: optional(z.string()),
  raw_input: z.exactOptional(anyJson),
  raw_output: z.exactOptional(anyJson),
  content: optional(z.array(anyJson)),
  is_error: z.exactOptional(z.boolean()),
  kind: z.literal('ACPToolCallEvent'),
});
