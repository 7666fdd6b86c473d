import type { GoalVerdict } from '@conv/core/events';

import type { Script } from './scripted-agent.ts';

/** A verdict that says what is still to be done. */
export function missing(what: string, score = 0.3): GoalVerdict {
  return { score, complete: false, missing: what };
}

/** A verdict that ends the work. */
export const reached: GoalVerdict = { score: 1, complete: true };

/** A judge that says these things one after the other, and then that everything is reached. */
export function judging(...verdicts: readonly GoalVerdict[]): NonNullable<Script['judge']> {
  return ({ number }) => verdicts[number - 1] ?? reached;
}
