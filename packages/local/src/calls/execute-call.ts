import { abortable, type AgentSession, errorText, type StateFields } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import { failedResult } from '../rules/interrupted-calls.ts';

/** Returns the call's result, even if the agent breaks its contract. Rejects with `signal.reason` alone. */
export async function executeCall(
  session: Pick<AgentSession, 'execute'>,
  action: ActionEvent,
  { toolTimeout }: Pick<StateFields, 'toolTimeout'>,
  signal: AbortSignal,
): Promise<EventDraft> {
  try {
    const context = { signal, ...(toolTimeout === null ? {} : { timeout: toolTimeout }) };
    const result = await abortable(session.execute(action, context), signal);
    return answers(result, action) ? result : failedResult(action, 'The tool answered a call that was not this one.');
  } catch (error) {
    signal.throwIfAborted();
    return failedResult(action, errorText(error));
  }
}

function answers(result: EventDraft, action: ActionEvent): boolean {
  if (!('tool_call_id' in result) || result.tool_call_id !== action.tool_call_id) return false;
  return !('action_id' in result) || result.action_id === action.id;
}
