import { ConversationError, type Conversation, type RunResult } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { stopReason } from '@conv/openhands/messages';

import type { HostedConversation } from '../hosting/hosted-conversation.ts';

/**
 * Resolves when readers see no run of a conversation any more. Rejects with the reason of `closed`.
 * @param lost makes the error of a conversation that has ended here
 */
export async function untilRested(hosted: HostedConversation, closed: AbortSignal, lost: () => Error): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const over = AbortSignal.any([closed, hosted.ended]);
  const end = (): void => reject(closed.aborted ? (closed.reason as Error) : lost());
  const look = (): void => {
    if (hosted.fields.executionStatus !== 'running') resolve();
  };
  const subscription = hosted.subscribe({ onStateChange: look, onSnapshot: look });
  over.addEventListener('abort', end, { once: true });
  if (over.aborted) end();
  look();
  try {
    await promise;
  } finally {
    over.removeEventListener('abort', end);
    subscription.unsubscribe();
  }
}

/**
 * Resolves with the result of the run that has ended. Rejects `RUN_FAILED` for a failed run, with what the log tells.
 * @param before the number of events and of responses before the run
 */
export async function runOutcome(
  { id, state, events }: Pick<Conversation, 'id' | 'state' | 'events'>,
  before: { readonly events: number; readonly iteration: number },
): Promise<RunResult> {
  const { executionStatus: status } = state;
  const result = { status, iterations: Math.max(0, state.iteration - before.iteration) };
  if (status !== 'error' && status !== 'stuck') return result;
  const failure = (await events.slice(before.events)).findLast((event) => isEvent(event, 'ConversationErrorEvent'));
  if (!failure) return result;
  const reason = stopReason(status, failure);
  if (reason) return { ...result, reason };
  const { code, detail } = failure;
  const cause = Object.assign(new Error(detail), { name: code });
  throw new ConversationError('RUN_FAILED', `the run of conversation ${id} failed: ${detail}`, {
    conversationId: id,
    cause,
  });
}
