import type { PatternMatch } from './stuck-pattern.ts';
import type { Step } from './step.ts';

/** A pattern of which the model was warned. */
export interface Warning {
  /** Keys of the steps of one round. */
  readonly circle: readonly string[];
  /** Steps of the pattern since then. */
  readonly again: number;
  /** Other calls since then, while the pattern did not match. */
  readonly others: number;
}

/** Makes the warning of the match at its time. There is no match in a log that was written with other settings. */
export function warningOf(match: PatternMatch | undefined): Warning {
  return { circle: match === undefined ? [] : circleOf(match), again: 0, others: 0 };
}

/** Returns the warning after one more step, or `undefined` if it is forgotten. */
export function rememberStep(
  warning: Warning,
  step: Step,
  forgetAfter: number,
  isThere: () => boolean,
): Warning | undefined {
  if (warning.circle.includes(step.key)) return { ...warning, again: warning.again + 1 };
  if (step.kind !== 'call' || isThere()) return warning;
  return warning.others + 1 < forgetAfter ? { ...warning, others: warning.others + 1 } : undefined;
}

/** True if a warned model ignored the warning: it made one more round, or the same pattern with other steps. */
export function wentOn(warning: Warning, match: PatternMatch): boolean {
  const circle = circleOf(match);
  return !circle.every((key) => warning.circle.includes(key)) || warning.again >= Math.max(1, circle.length);
}

function circleOf({ steps, round = 1 }: PatternMatch): readonly string[] {
  return steps.slice(-round).map(({ key }) => key);
}
