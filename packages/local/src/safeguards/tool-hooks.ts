import type { ConversationState, HookOutcome, JsonObject } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import type { ConversationHooks } from './conversation-hooks.ts';

/** Reason of a blocked call when the hook gave none. */
export const NO_REASON = 'A hook blocked the action.';

/** Runs the `PreToolUse` hooks of a call that may start. */
export function askBeforeCall(
  state: ConversationState,
  hooks: ConversationHooks,
  action: ActionEvent,
  signal: AbortSignal,
): Promise<HookOutcome> {
  return hooks.run({ type: 'PreToolUse', ...occasionOf(state, action) }, signal);
}

/** Runs the `PostToolUse` hooks with the result of a call. */
export function tellAfterCall(
  state: ConversationState,
  hooks: ConversationHooks,
  action: ActionEvent,
  result: EventDraft,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const toolResponse = responseOf(state.mask.draft(result));
  return hooks.run({ type: 'PostToolUse', ...occasionOf(state, action), toolResponse }, signal);
}

function occasionOf(
  state: ConversationState,
  action: ActionEvent,
): { toolName: string; toolInput: JsonObject; actionId: string } {
  const masked = state.mask.draft(action as EventDraft & { readonly kind: 'ActionEvent' });
  return {
    toolName: action.tool_name,
    toolInput: (masked.action ?? {}) as unknown as JsonObject,
    actionId: action.id,
  };
}

function responseOf(result: EventDraft): JsonObject {
  if (result.kind === 'ObservationEvent') return result.observation as unknown as JsonObject;
  return { error: result.kind === 'AgentErrorEvent' ? result.error : '', is_error: true };
}
