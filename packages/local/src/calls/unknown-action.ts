import { ConversationError } from '@conv/core';

/** Returns the error for an action whose call waits for no answer. */
export function unknownAction(id: string): ConversationError {
  return new ConversationError('UNKNOWN_ACTION', `no call of action ${JSON.stringify(id)} waits for an answer`);
}
