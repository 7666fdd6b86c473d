import { ConversationError } from '@conv/core';

/** Returns the error for the id of an action that does not wait for a decision. */
export function noPendingAction(id: string): ConversationError {
  const text = `no pending action has the id ${JSON.stringify(id)}; state.pendingActions has the actions that wait`;
  return new ConversationError('UNKNOWN_ACTION', text);
}
