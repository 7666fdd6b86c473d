import type { ExecutionStatus, Limits, RunResult } from '@conv/core';
import type { EventOfKind } from '@conv/core/events';

type RunReason = NonNullable<RunResult['reason']>;

const MET = /maximum (?<what>iterations|budget) limit \(\$?(?<value>\d+(?:\.\d+)?(?:e[+-]?\d+)?)\)/;

/** Matches the limit of all runs; the second form occurs in older logs. */
const OF_ALL_RUNS = /The limit is that of all runs together|The conversation has cost/;

/** Codes of runs that ended at a limit, which is no failure. */
const LIMIT_CODES: ReadonlySet<string> = new Set(['MaxIterationsReached', 'MaxBudgetReached']);

/** Returns the reason of a run that is stuck or has ended at a limit; `undefined` for a failed run. `end`: the event that ended the run. */
export function stopReason(
  status: ExecutionStatus,
  end: Pick<EventOfKind<'ConversationErrorEvent'>, 'code' | 'detail'>,
): RunReason | undefined {
  return status === 'stuck' || LIMIT_CODES.has(end.code) ? runReason(end) : undefined;
}

/**
 * Returns the reason in the event that ended a run. Its words are the only place of the limit in the protocol, and other servers use the same ones
 * (docs/decisions/0205-the-limit-of-a-run-stands-in-words.md).
 */
export function runReason({ code, detail }: Pick<EventOfKind<'ConversationErrorEvent'>, 'code' | 'detail'>): RunReason {
  const { what, value } = MET.exec(detail)?.groups ?? {};
  if (what === undefined) return { code, detail };
  return { code, detail, limit: limitIn(what, detail), value: Number(value) };
}

function limitIn(what: string, detail: string): keyof Limits {
  if (what === 'iterations') return 'maxIterations';
  return OF_ALL_RUNS.test(detail) ? 'maxBudget' : 'maxBudgetPerRun';
}
