import type { ConversationState, HookOutcome, JsonObject } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import type { ConversationHooks } from './conversation-hooks.ts';

/** Why a call was blocked by a hook that gave no reason. */
export const NO_REASON = 'A hook blocked the action.';

/** Asks the hooks about a call that may start. */
export function askBeforeCall(
  state: ConversationState,
  hooks: ConversationHooks,
  action: ActionEvent,
  signal: AbortSignal,
): Promise<HookOutcome> {
  return hooks.run({ type: 'PreToolUse', ...occasionOf(state, action) }, signal);
}

/** Tells the hooks what came of a call. */
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
