import type { ExecutionStatus, RunRecord, Transaction } from '@conv/core';

import { costOf } from './budget.ts';

/** A run that begins, as it is kept for a process that takes it up. */
export function newRun({ state, branch }: Transaction, maxIterations: number = state.maxIterations): RunRecord {
  return {
    phase: 'working',
    maxIterations,
    iterationsBefore: branch.iteration,
    costBefore: costOf(state.stats),
    takeovers: 0,
  };
}

/** Part of a commit: how far the run is. */
export function enterPhase(transaction: Transaction, phase: RunRecord['phase']): void {
  const { lastRun } = transaction.state;
  if (lastRun) transaction.update({ set: { lastRun: { ...lastRun, phase } } });
}

/** A step and its calls have come to their end: whoever takes the run up after this finds it further on. */
export function forgetTakeovers(transaction: Transaction): void {
  const { lastRun } = transaction.state;
  if (lastRun && lastRun.takeovers > 0) transaction.update({ set: { lastRun: { ...lastRun, takeovers: 0 } } });
}

/** What a run begins from without approving anything. */
const CAN_BEGIN: ReadonlySet<ExecutionStatus> = new Set<ExecutionStatus>(['idle', 'paused', 'stuck', 'error']);

/** Part of a commit: a run is on record that is going to begin, of so many model responses; whether there is one. */
export function announceRun(transaction: Transaction, maxIterations?: number): boolean {
  const { executionStatus } = transaction.state;
  if (executionStatus === 'running') return true;
  if (!transaction.branch.spoken || !CAN_BEGIN.has(executionStatus)) return false;
  const lastRun: RunRecord = { ...newRun(transaction, maxIterations), phase: 'waiting' };
  transaction.update({ set: { executionStatus: 'running', lastRun } });
  return true;
}
