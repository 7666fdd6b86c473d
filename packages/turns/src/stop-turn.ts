import { ConversationError, type Conversation } from '@conv/core';

import { checkConversation } from './check-arguments.ts';

/**
 * Stops the run of a conversation, and rejects its calls that wait for a person, because they hold no run that an interruption could end.
 * Rejects `DENIED` for a sender who may not reject them.
 */
export async function stopTurn(
  conversation: Conversation,
  { mayApprove, reason }: { readonly mayApprove: () => boolean | Promise<boolean>; readonly reason: string },
): Promise<void> {
  checkConversation('stopTurn', conversation);
  const isAsked = conversation.state.executionStatus === 'waiting_for_confirmation';
  if (isAsked && !(await mayApprove()))
    throw new ConversationError('DENIED', 'expected a sender who may approve, because stopping rejects calls');
  if (isAsked) await conversation.reject(undefined, reason);
  await conversation.interrupt();
}
