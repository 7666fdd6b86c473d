import type { ConversationView } from '@conv/core';
import { isObject } from '@conv/core/platform';

import type { CallItem } from './turn-item.ts';

/** True if the client executes the call: its tool was given with the conversation. */
export function isClientCall({ action }: { readonly action?: CallItem['action'] | null }): boolean {
  return action?.kind.startsWith('ClientAction_') === true;
}

/** True for a call of the built-in tool `ask_user`, which a message of the user answers. A caller's tool of that name is another one. */
export function isQuestion(
  { clientTools }: Pick<ConversationView, 'clientTools'>,
  { tool_name: tool }: { readonly tool_name: string },
): boolean {
  const spec = clientTools.find(({ name }) => name === tool);
  const properties = spec?.parameters['properties'];
  return tool === 'ask_user' && isObject(properties) && 'question' in properties && 'free_text' in properties;
}

/** True if a call waits for the client to answer it. `calls` are those of the state, for an item that was read from the log alone. */
export function waitsForClient(call: CallItem, calls: ConversationView['calls'] = {}): boolean {
  const hasBegun = call.phase === 'started' || calls[call.actionId] === 'started';
  return isClientCall(call) && !call.result && hasBegun;
}

/** True if a person has to decide on a call, also for an item that was read from the log alone. */
export function waitsForPerson(
  { actionId, phase, result }: CallItem,
  { calls, pendingActions, executionStatus }: Pick<ConversationView, 'calls' | 'pendingActions' | 'executionStatus'>,
): boolean {
  if (result || executionStatus !== 'waiting_for_confirmation') return false;
  return phase === 'waiting' || (calls[actionId] === undefined && pendingActions.some(({ id }) => id === actionId));
}

/** True for a finish call in which neither a person nor a hook has a say: clients show the answer that it gives in its place. */
export function isFinish({ action, phase, result }: CallItem): boolean {
  if (action?.kind !== 'FinishAction') return false;
  return result ? result.outcome === 'output' : phase === 'open' || phase === 'started';
}

/** Returns the arguments of a call: the value of its JSON, or the text that the model wrote. */
export function argumentsOf({ input }: Pick<CallItem, 'input'>): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
