import { agentError, type ActionEvent, type ErrorClassification, type EventDraft } from '@conv/core/events';

const INTERNAL: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };

/** What the model reads as the result of a call whose end nobody saw. */
const OUTCOME_UNKNOWN =
  'This tool call was interrupted before its result was recorded. Its outcome is unknown: it may have run in full, in part, or not at all. Check before repeating it.';

/** What the model reads as the result of a call that was stopped before it began. */
const NOT_STARTED = 'This tool call was interrupted before it started. It had no effect.';

/** The result of a call that ended before its tool did: `mayHaveRun` says whether the tool may have begun. */
export function interruptedResult(action: ActionEvent, mayHaveRun: boolean): EventDraft {
  return agentError(action, mayHaveRun ? OUTCOME_UNKNOWN : NOT_STARTED, INTERNAL);
}

/** The result of a call that failed around its tool. */
export function failedResult(action: ActionEvent, reason: string): EventDraft {
  return agentError(action, reason, INTERNAL);
}
