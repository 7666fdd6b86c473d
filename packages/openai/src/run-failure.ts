import { isConversationError, type Conversation } from '@conv/core';
import type { TurnItem } from '@conv/turns';

/** The error that a response failed with. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** The newest failure of each conversation. The log does not have the errors of runs that were refused before they began. */
const kept = new WeakMap<Conversation, Failure & { readonly event: string }>();

/** Keeps the error of the run that answers an event. */
export function keepFailure(conversation: Conversation, event: string, error: unknown): void {
  const known = isConversationError(error) ? error : { code: 'RUN_FAILED', message: 'the run ended with an error' };
  kept.set(conversation, { event, code: known.code, message: known.message });
}

/** Forgets the failure of a conversation, which runs again. */
export function forgetFailure(conversation: Conversation): void {
  kept.delete(conversation);
}

/** Returns the failure of the turn behind an event: from the log, or of a run that could not begin. */
export function failureOf(conversation: Conversation, event: string, items: readonly TurnItem[]): Failure | undefined {
  const last = items.findLast(({ kind }) => kind === 'error' || kind === 'answer');
  if (last?.kind === 'error') return { code: last.code, message: `${last.code}: ${last.detail}` };
  const failure = kept.get(conversation);
  if (last || failure?.event !== event || conversation.state.executionStatus === 'running') return undefined;
  return failure;
}
