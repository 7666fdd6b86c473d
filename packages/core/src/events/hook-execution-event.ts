import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import { isObject, type JsonObject } from '../platform/json.ts';
import { model, optional } from './model.ts';

/** The run of one hook. */
export interface HookExecutionEvent extends EventBase {
  readonly hook_event_type: 'PreToolUse' | 'PostToolUse' | 'UserPromptSubmit' | 'SessionStart' | 'SessionEnd' | 'Stop';
  readonly hook_command: string;
  readonly tool_name?: string | null;
  readonly success: boolean;
  /** Absent means false. */
  readonly blocked?: boolean;
  readonly exit_code: number;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly reason?: string | null;
  readonly additional_context?: string | null;
  readonly error?: string | null;
  readonly action_id?: string | null;
  readonly message_id?: string | null;
  readonly hook_input?: JsonObject | null;
  readonly kind: 'HookExecutionEvent';
}

/** A hook's run as it is written. */
export const hookExecutionEventSchema: z.ZodType<HookExecutionEvent> = model('forbid', {
  ...eventBase,
  hook_event_type: z.enum(['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SessionEnd', 'Stop']),
  hook_command: z.string(),
  tool_name: optional(z.string()),
  success: z.boolean(),
  blocked: z.exactOptional(z.boolean()),
  exit_code: z.int(),
  stdout: z.exactOptional(z.string()),
  stderr: z.exactOptional(z.string()),
  reason: optional(z.string()),
  additional_context: optional(z.string()),
  error: optional(z.string()),
  action_id: optional(z.string()),
  message_id: optional(z.string()),
  hook_input: optional(z.custom<JsonObject>(isObject)),
  kind: z.literal('HookExecutionEvent'),
});
