import { isConversationError } from '@conv/core';

/** The error that a turn failed with. */
export interface TurnFailure {
  /** The code of an error of the log, such as `MaxIterationsReached`, or of the conversation, such as `DENIED`. */
  readonly code: string;
  readonly message: string;
}

/** The run that failed. */
interface FailedRun {
  /** The event that it was to answer. */
  readonly event: string;
  /** The number of events before it began: an answer or an error behind them tells how it ended. */
  readonly length: number;
}

/** The newest failure of each conversation. The log does not have the errors of runs that were refused before they began. */
const kept = new WeakMap<object, FailedRun & { readonly failure: TurnFailure }>();

/** Keeps the error of a run. */
export function keepFailure(conversation: object, run: FailedRun, error: unknown): void {
  const known = isConversationError(error) ? error : { code: 'RUN_FAILED', message: 'the run ended with an error' };
  kept.set(conversation, { ...run, failure: { code: known.code, message: known.message } });
}

/** Forgets the failure of a conversation, which runs again. */
export function forgetFailure(conversation: object): void {
  kept.delete(conversation);
}

/** Returns the failure of the run that was to answer an event, if it told nothing before event `last`, the newest answer or error. */
export function keptFailure(conversation: object, event: string, last: number): TurnFailure | undefined {
  const run = kept.get(conversation);
  return run?.event === event && last < run.length ? run.failure : undefined;
}
