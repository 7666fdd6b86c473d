import type { EventOfKind } from '../../events/index.ts';
import type { JsonObject, KeptJson } from '../../platform/json.ts';

/** The member of a configuration that holds the hooks of a moment; in the order in which they are stored. */
export const HOOK_MEMBERS = {
  PreToolUse: 'pre_tool_use',
  PostToolUse: 'post_tool_use',
  UserPromptSubmit: 'user_prompt_submit',
  SessionStart: 'session_start',
  SessionEnd: 'session_end',
  Stop: 'stop',
} as const satisfies Readonly<Record<EventOfKind<'HookExecutionEvent'>['hook_event_type'], string>>;

/** The most seconds that a hook may take, because a timer waits no longer. */
export const MAX_HOOK_TIMEOUT = 2_147_483;

/**
 * Hooks as they stand in the state and in files: a configuration of the wire, or a configuration with members that the wire does
 * not have, such as `on_error`. It is kept unchanged. A `HooksFactory` reads it once, when a conversation opens.
 */
export type StoredHooks =
  | { readonly [Moment in keyof typeof HOOK_MEMBERS as (typeof HOOK_MEMBERS)[Moment]]?: readonly JsonObject[] }
  | KeptJson<'hooks'>;
