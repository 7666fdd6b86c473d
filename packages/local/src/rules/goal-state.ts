import type { Transaction } from '@conv/core';
import type { GoalStatus, GoalVerdict } from '@conv/core/events';

/** Returns a new goal in progress. */
export function beginGoal(objective: string, maxIterations: number): GoalStatus {
  return { active: true, status: 'running', iteration: 0, max_iterations: maxIterations, objective };
}

export function afterRound(goal: GoalStatus, verdict: GoalVerdict): GoalStatus {
  const iteration = goal.iteration + 1;
  const status = verdict.complete ? 'complete' : iteration >= goal.max_iterations ? 'capped' : 'running';
  return { ...goal, active: status === 'running', status, iteration, verdict };
}

/** Interrupts the active goal in a commit, so that it can be resumed. Changes nothing without an active goal. */
export function interruptGoal(transaction: Transaction): void {
  const { goal } = transaction.state;
  if (goal?.active) transaction.update({ set: { goal: interrupted(goal) } });
}

/** Returns the goal as interrupted, which can be resumed. */
export function interrupted(goal: GoalStatus): GoalStatus {
  return { ...goal, active: false, status: 'interrupted' };
}
