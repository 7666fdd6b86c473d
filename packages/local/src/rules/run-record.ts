import type { ExecutionStatus, RunRecord, Transaction } from '@conv/core';

import { costOf } from './budget.ts';

/** Returns the record of a new run, for the process that works on it. */
export function newRun({ state, branch }: Transaction, maxIterations: number = state.maxIterations): RunRecord {
  return {
    phase: 'working',
    maxIterations,
    iterationsBefore: branch.iteration,
    costBefore: costOf(state.stats),
    takeovers: 0,
  };
}

/** Records the phase of the run in a commit. */
export function enterPhase(transaction: Transaction, phase: RunRecord['phase']): void {
  const { lastRun } = transaction.state;
  if (lastRun) transaction.update({ set: { lastRun: { ...lastRun, phase } } });
}

/** Resets the takeovers after a step and its calls have ended, because the run has made progress. */
export function forgetTakeovers(transaction: Transaction): void {
  const { lastRun } = transaction.state;
  if (lastRun && lastRun.takeovers > 0) transaction.update({ set: { lastRun: { ...lastRun, takeovers: 0 } } });
}

/** Statuses from which a run begins without approving anything. */
const CAN_BEGIN: ReadonlySet<ExecutionStatus> = new Set<ExecutionStatus>(['idle', 'paused', 'stuck', 'error']);

/** Records in a commit a run that is going to begin, with its limit. Returns true if such a run is on record. */
export function scheduleRun(transaction: Transaction, maxIterations?: number): boolean {
  const { executionStatus } = transaction.state;
  if (executionStatus === 'running') return true;
  if (!transaction.branch.spoken || !CAN_BEGIN.has(executionStatus)) return false;
  const lastRun: RunRecord = { ...newRun(transaction, maxIterations), phase: 'waiting' };
  transaction.update({ set: { executionStatus: 'running', lastRun } });
  return true;
}
