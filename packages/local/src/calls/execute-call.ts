import { abortable, type AgentSession, type ConversationState, errorText } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import { failedResult } from '../rules/interrupted-calls.ts';

/** Returns the call's result, even if the agent breaks its contract. Rejects with `signal.reason` alone. */
export async function executeCall(
  session: Pick<AgentSession, 'execute'>,
  action: ActionEvent,
  { accepted: { toolTimeout }, subscriptions }: Pick<ConversationState, 'accepted' | 'subscriptions'>,
  signal: AbortSignal,
): Promise<EventDraft> {
  let isOver = false;
  try {
    const { tool_call_id: toolCallId } = action;
    const onOutput = (text: string): void => {
      // an abandoned tool may continue to print, but its call has its result already
      if (!isOver)
        subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onOutput?.({ toolCallId, text })));
    };
    const context = { signal, onOutput, ...(toolTimeout === null ? {} : { timeout: toolTimeout }) };
    const result = await abortable(session.execute(action, context), signal);
    return answers(result, action) ? result : failedResult(action, 'The tool answered a different call.');
  } catch (error) {
    signal.throwIfAborted();
    return failedResult(action, errorText(error));
  } finally {
    isOver = true;
  }
}

function answers(result: EventDraft, action: ActionEvent): boolean {
  if (!('tool_call_id' in result) || result.tool_call_id !== action.tool_call_id) return false;
  return !('action_id' in result) || result.action_id === action.id;
}
