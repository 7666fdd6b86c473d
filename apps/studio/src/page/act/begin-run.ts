import type { RemoteConversation } from '@conv/remote';

/**
 * Lets the agent answer a message that was sent. Begins no run while a run is active, because that run answers the message, nor while
 * calls wait: the message rejected the calls that a person saw, and newer ones wait for a decision, also if they come to wait right now.
 * Resolves when the run has begun; rejects if the server refuses it.
 */
export async function beginRun(conversation: RemoteConversation): Promise<void> {
  const { executionStatus } = conversation.state;
  if (executionStatus === 'running' || executionStatus === 'waiting_for_confirmation') return;
  await conversation.run({ blocking: false, approves: false });
}
