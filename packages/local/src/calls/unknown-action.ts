import { ConversationError } from '@conv/core';

/** Returns the error for an action whose call waits for no answer. */
export function unknownAction(id: string): ConversationError {
  const text = `no call of action ${JSON.stringify(id)} waits for an answer; state.pendingActions has the actions that wait`;
  return new ConversationError('UNKNOWN_ACTION', text);
}
