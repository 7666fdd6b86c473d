import type { Limits } from '../state/limits.ts';

/** The reason why a run ended before the agent had answered. */
export interface RunReason {
  /** The code of the ConversationErrorEvent that ended it, such as `MaxIterationsReached`, `MaxBudgetReached` or `StuckDetected`. */
  readonly code: string;
  /** The detail of that event. */
  readonly detail: string;
  /** The limit that was met; absent for other codes. */
  readonly limit?: keyof Limits;
  /** The value of that limit: responses, or US dollars. */
  readonly value?: number;
}
