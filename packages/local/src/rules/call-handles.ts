import type { ConversationState, StateFields, Transaction } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/tool';
import { questions } from '@conv/openhands/client-tools';

/** Key of the agent's state that keeps the handles of running calls, by which another process asks for their results. */
const HANDLES = 'call_handles';

type Fields = Pick<StateFields, 'id' | 'agentState'>;

/**
 * Returns the handle of a call, by its action: servers use ids of calls again. A fork has none, because the work belongs to its
 * source.
 */
export function handleOf(fields: Fields, { id }: Pick<ActionEvent, 'id'>): JsonObject | undefined {
  const handles = handlesIn(fields);
  const handle = Object.hasOwn(handles, id) ? handles[id] : undefined;
  return isJsonObject(handle) ? handle : undefined;
}

/** Returns the handle of a call that has no result yet. */
export function openHandle(
  { accepted, pendingActions }: Pick<ConversationState, 'accepted' | 'pendingActions'>,
  toolCallId: string,
): JsonObject | undefined {
  const action = pendingActions.find(({ tool_call_id: id }) => id === toolCallId);
  return action && handleOf(accepted, action);
}

/** Keeps the handle of an open call; an empty one drops it. Drops the handles of calls that have ended. */
export function keepHandle(transaction: Transaction, toolCallId: string, handle: JsonObject): void {
  const action = transaction.openActions.find(({ tool_call_id: id }) => id === toolCallId);
  const others = openHandles(transaction).filter(([id]) => id !== action?.id);
  const isKept = action && Object.keys(handle).length > 0;
  store(transaction, isKept ? [...others, [action.id, handle]] : others);
}

/** Drops the handles of calls that have ended: HEAD may go back to before their results, and then they are new calls. */
export function dropHandles(transaction: Transaction): void {
  const open = openHandles(transaction);
  if (open.length < Object.keys(handlesIn(transaction.state)).length) store(transaction, open);
}

/** True if another process can go on with this call after it has started: a question, or a call with a handle. */
export function outlivesProcess(
  fields: Fields & Pick<StateFields, 'clientTools'>,
  action: Pick<ActionEvent, 'id' | 'tool_name'>,
): boolean {
  return questions.isQuestion(fields, action) || handleOf(fields, action) !== undefined;
}

/** Returns the started calls with which another process can go on. */
export function outlivingCalls({ state, openActions }: Transaction): readonly ActionEvent[] {
  return openActions.filter((action) => state.calls[action.id] === 'started' && outlivesProcess(state, action));
}

type Handles = readonly (readonly [actionId: string, handle: JsonObject[string]])[];

function openHandles({ state, openActions }: Transaction): Handles {
  const open = new Set(openActions.map(({ id }) => id));
  return Object.entries(handlesIn(state)).filter(([id]) => open.has(id));
}

function store(transaction: Transaction, handles: Handles): void {
  const { id: parent } = transaction.state;
  transaction.update({ add: { agentState: { [HANDLES]: { parent, calls: Object.fromEntries(handles) } } } });
}

function handlesIn({ id, agentState }: Fields): JsonObject {
  const kept = agentState[HANDLES];
  return isJsonObject(kept) && kept['parent'] === id && isJsonObject(kept['calls']) ? kept['calls'] : {};
}
