import type { Event } from '@conv/core/events';
import type { Step } from './step.ts';

/** A match of a pattern. */
export interface PatternMatch {
  /** The steps that show it, oldest first. The last 24 are enough. */
  readonly steps: readonly Step[];
  /**
   * The number of steps, at the end of {@link steps}, that make one round. A warned model is stopped after as many again.
   * Default 1.
   */
  readonly round?: number;
  /** The calls that repeat and their number: a sentence for the model and for people. */
  readonly description: string;
  /** The advice for the model: a sentence or two about what to do differently. */
  readonly advice: string;
}

/**
 * A kind of loop. A pure fold over steps: states are values that are never changed in place, and are worth keeping small,
 * since every conversation has one.
 *
 * @example
 * ```ts
 * import { createStuckDetector, type StuckPattern, type Step } from '@conv/stuck';
 *
 * // Searching eight times in a row, whatever for.
 * const onlySearching: StuckPattern<readonly Step[]> = {
 *   name: 'only-searching',
 *   initial: [],
 *   apply: (before, step) => {
 *     if (step.kind !== 'call') return before;
 *     return step.tool === 'web_search' ? [...before, step].slice(-8) : [];
 *   },
 *   find: (steps) =>
 *     steps.length < 8
 *       ? undefined
 *       : { steps, description: 'You have searched 8 times in a row.', advice: 'Read one of the pages you found.' },
 * };
 * const detector = createStuckDetector({ extraPatterns: [onlySearching] });
 * ```
 */
export interface StuckPattern<State = unknown> {
  /** The name, which appears in findings and in the sender of the warning. */
  readonly name: string;
  /** The state before the first step, and after each message of the user. */
  readonly initial: State;
  /**
   * Returns the state after the next step. `events` are the events of the step, with their content: a call and its
   * result, or one event.
   */
  apply(before: State, step: Step, events: readonly Event[]): State;
  /** Returns the current match; `undefined` without one. */
  find(state: State): PatternMatch | undefined;
}
