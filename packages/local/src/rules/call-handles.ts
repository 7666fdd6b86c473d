import type { ConversationState, StateFields, Transaction } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';

import { isQuestion } from './questions.ts';

/** Key of the agent's state that keeps the handles of running calls, by which another process asks for their results. */
const HANDLES = 'call_handles';

type Fields = Pick<StateFields, 'id' | 'agentState'>;

/** Returns the handle of a call. A fork has none, because the work belongs to its source. */
export function handleOf(fields: Fields, toolCallId: string): JsonObject | undefined {
  const handles = handlesIn(fields);
  const handle = Object.hasOwn(handles, toolCallId) ? handles[toolCallId] : undefined;
  return isJsonObject(handle) ? handle : undefined;
}

/** Returns the handle of a call that has no result yet. */
export function openHandle(
  { accepted, pendingActions }: Pick<ConversationState, 'accepted' | 'pendingActions'>,
  toolCallId: string,
): JsonObject | undefined {
  const isOpen = pendingActions.some(({ tool_call_id: id }) => id === toolCallId);
  return isOpen ? handleOf(accepted, toolCallId) : undefined;
}

/** Keeps the handle of an open call; an empty one drops it. Drops the handles of calls that have ended. */
export function keepHandle(transaction: Transaction, toolCallId: string, handle: JsonObject): void {
  const { state, openActions } = transaction;
  const open = new Set(openActions.map((action) => action.tool_call_id));
  const others = Object.entries(handlesIn(state)).filter(([id]) => open.has(id) && id !== toolCallId);
  const isKept = open.has(toolCallId) && Object.keys(handle).length > 0;
  const calls = Object.fromEntries([...others, ...(isKept ? [[toolCallId, handle] as const] : [])]);
  transaction.update({ add: { agentState: { [HANDLES]: { parent: state.id, calls } } } });
}

/** True if another process can go on with this call after it has started: a question, or a call with a handle. */
export function outlivesProcess(
  fields: Fields & Pick<StateFields, 'clientTools'>,
  action: Pick<ActionEvent, 'tool_name' | 'tool_call_id'>,
): boolean {
  return isQuestion(fields, action) || handleOf(fields, action.tool_call_id) !== undefined;
}

/** Returns the started calls with which another process can go on. */
export function outlivingCalls({ state, openActions }: Transaction): readonly ActionEvent[] {
  return openActions.filter((action) => state.calls[action.id] === 'started' && outlivesProcess(state, action));
}

function handlesIn({ id, agentState }: Fields): JsonObject {
  const kept = agentState[HANDLES];
  return isJsonObject(kept) && kept['parent'] === id && isJsonObject(kept['calls']) ? kept['calls'] : {};
}
