import type { Event } from '../../events/index.ts';

/** The `sender` of the environment message that warns a model: `stuck-detector:` and the pattern. */
export const STUCK_SENDER = 'stuck-detector:';

/** A loop that the detector found. */
export interface StuckFinding {
  /** The name of the pattern, such as `repeat`. */
  readonly pattern: string;
  /** The events that show it, in log order. */
  readonly eventIds: readonly string[];
  /** `warn`: the model is warned once. `stop`: the model was warned and continued. */
  readonly action: 'warn' | 'stop';
  /** The warning that the model reads, and the reason that people read when the run ended. */
  readonly message: string;
}

/**
 * Finds loops in the live branch. A pure fold, O(1) for each event; states are values that are never changed in place.
 *
 * A warning becomes an environment message whose sender is {@link STUCK_SENDER} and the pattern; that event, seen by
 * `apply`, is what makes the next finding of the pattern a `stop`. A user's message, and the ConversationErrorEvent that a
 * stop ends with, start over.
 */
export interface StuckDetector<State = unknown> {
  /** The state before the first event. */
  readonly initial: State;
  /** Returns the state after the next event of the live branch. */
  apply(before: State, event: Event): State;
  /** Returns the loop that the state shows; `undefined` without one. */
  find(state: State): StuckFinding | undefined;
}
