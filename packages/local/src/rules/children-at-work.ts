import type { StateFields, Transaction } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

/** Key of the agent's state that keeps which children work for which calls, so that a crash or an interruption loses none. */
const AT_WORK = 'children_at_work';

type Fields = Pick<StateFields, 'id' | 'agentState'>;

/** Returns the calls that children work for, by the child's id. A fork has none, because the children belong to its source. */
export function callsOfChildren({ id, agentState }: Fields): Readonly<Record<string, string>> {
  const noted = agentState[AT_WORK];
  if (!isJsonObject(noted) || noted['parent'] !== id || !isJsonObject(noted['calls'])) return {};
  return Object.fromEntries(
    Object.entries(noted['calls']).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Returns the ids of the children that worked for a call. */
export function childrenOfCall(fields: Fields, toolCallId: string): readonly string[] {
  return Object.entries(callsOfChildren(fields)).flatMap(([child, call]) => (call === toolCallId ? [child] : []));
}

/** Notes that a child works for a call. Drops notes of ended calls whose child is at work no more. */
export function noteAtWork(
  transaction: Transaction,
  { childId, toolCallId }: { readonly childId: string; readonly toolCallId: string },
  isAtWork: (childId: string) => boolean,
): void {
  const { state, openActions } = transaction;
  const open = new Set(openActions.map((action) => action.tool_call_id));
  const kept = Object.entries(callsOfChildren(state)).filter(([child, call]) => open.has(call) || isAtWork(child));
  keep(transaction, { ...Object.fromEntries(kept), [childId]: toolCallId });
}

/** Drops the notes of a call. */
export function forgetCall(transaction: Transaction, toolCallId: string): void {
  const calls = Object.entries(callsOfChildren(transaction.state));
  keep(transaction, Object.fromEntries(calls.filter(([, call]) => call !== toolCallId)));
}

/** Drops the notes of these children, and all notes in an unknown form. */
export function forgetChildren(transaction: Transaction, childIds: readonly string[]): void {
  const calls = Object.entries(callsOfChildren(transaction.state));
  keep(transaction, Object.fromEntries(calls.filter(([child]) => !childIds.includes(child))));
}

/** True if any children are noted. */
export function hasAtWork({ agentState }: Fields): boolean {
  return AT_WORK in agentState;
}

function keep(transaction: Transaction, calls: Readonly<Record<string, string>>): void {
  const { id, agentState } = transaction.state;
  const { [AT_WORK]: _, ...rest } = agentState;
  const noted = Object.keys(calls).length > 0 ? { [AT_WORK]: { parent: id, calls } } : {};
  transaction.update({ set: { agentState: { ...rest, ...noted } } });
}
