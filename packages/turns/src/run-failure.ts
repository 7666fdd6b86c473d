import { isConversationError, type Conversation } from '@conv/core';

/** The error that a turn failed with. */
export interface TurnFailure {
  /** The code of an error of the log, such as `MaxIterationsReached`, or of the conversation, such as `DENIED`. */
  readonly code: string;
  readonly message: string;
}

/** The newest failure of each conversation. The log does not have the errors of runs that were refused before they began. */
const kept = new WeakMap<Conversation, TurnFailure & { readonly event: string }>();

/** Keeps the error of the run that answers an event. */
export function keepFailure(conversation: Conversation, event: string, error: unknown): void {
  const known = isConversationError(error) ? error : { code: 'RUN_FAILED', message: 'the run ended with an error' };
  kept.set(conversation, { event, code: known.code, message: known.message });
}

/** Forgets the failure of a conversation, which runs again. */
export function forgetFailure(conversation: Conversation): void {
  kept.delete(conversation);
}

/** Returns the failure of the run that answers an event, if it could not begin. */
export function keptFailure(conversation: Conversation, event: string): TurnFailure | undefined {
  const failure = kept.get(conversation);
  return failure?.event === event ? failure : undefined;
}
