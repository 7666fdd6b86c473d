import type { CallStep } from '../step.ts';
import type { StuckPattern } from '../stuck-pattern.ts';

interface Failures {
  /** The last failures of one call, oldest first. */
  readonly recent: readonly CallStep[];
  /** How many times in a row the call failed, and with the same error as last time. */
  readonly failed: number;
  readonly same: number;
}

const SHOWN = 12;
const NONE: Failures = { recent: [], failed: 0, same: 0 };

/**
 * Finds a call that fails again and again: `threshold` times with the same error, or twice as often with errors that
 * differ, since another error may mean that something moves.
 */
export function errorPattern(threshold: number): StuckPattern<Failures> {
  return {
    name: 'error',
    initial: NONE,
    apply: (before, step) => {
      if (step.kind !== 'call') return before;
      return step.outcome === 'failed' ? withFailure(before, step) : NONE;
    },
    find: ({ recent, failed, same }) => {
      const tool = recent.at(-1)?.tool ?? '';
      if (same >= threshold)
        return matchOf(recent.slice(-same), `failed ${same} times in a row with the same error`, tool);
      if (failed >= 2 * threshold)
        return matchOf(recent, `failed ${failed} times in a row, with different errors`, tool);
      return undefined;
    },
  };
}

function withFailure({ recent, failed, same }: Failures, step: CallStep): Failures {
  const last = recent.at(-1);
  if (last?.call !== step.call) return { recent: [step], failed: 1, same: 1 };
  return {
    recent: [...recent, step].slice(-SHOWN),
    failed: failed + 1,
    same: last.key === step.key ? same + 1 : 1,
  };
}

function matchOf(steps: readonly CallStep[], what: string, tool: string): ReturnType<StuckPattern['find']> {
  return {
    steps,
    description: `The same call of \`${tool}\` has ${what}.`,
    advice:
      'Making it again will not help. Read the error, change the arguments or use another tool, or say what stands in the way.',
  };
}
