import type { Transaction } from '@conv/core';
import type { GoalStatus, GoalVerdict } from '@conv/core/events';

/** A goal that somebody works on. */
export function beginGoal(objective: string, maxIterations: number): GoalStatus {
  return { active: true, status: 'running', iteration: 0, max_iterations: maxIterations, objective };
}

/** The goal after one more round. */
export function afterRound(goal: GoalStatus, verdict: GoalVerdict): GoalStatus {
  const iteration = goal.iteration + 1;
  const status = verdict.complete ? 'complete' : iteration >= goal.max_iterations ? 'capped' : 'running';
  return { ...goal, active: status === 'running', status, iteration, verdict };
}

/** Part of a commit: nobody works on the goal any more, and it can be resumed. Changes nothing without one. */
export function interruptGoal(transaction: Transaction): void {
  const { goal } = transaction.state;
  if (goal?.active) transaction.update({ set: { goal: interrupted(goal) } });
}

/** The goal as it can be resumed. */
export function interrupted(goal: GoalStatus): GoalStatus {
  return { ...goal, active: false, status: 'interrupted' };
}
