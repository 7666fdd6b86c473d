import type { CallStep, Step } from '../step.ts';
import type { PatternMatch, StuckPattern } from '../stuck-pattern.ts';

/** Calls that come back in the same order. */
interface Rounds {
  /** The last calls, oldest first: twice the longest round, and at least {@link MIN_SHOWN}. */
  readonly recent: readonly CallStep[];
  /** At length - 1: the number of calls in a row, up to the last, that equal the call `length` calls before. */
  readonly runs: readonly number[];
}

/** The options that distinguish one pattern of rounds from another. */
export interface RoundOptions {
  readonly name: string;
  /** Calls in the shortest and in the longest round. */
  readonly lengths: readonly [number, number];
  /** Returns the number of calls in a row that make a pattern of rounds of this length. */
  readonly steps: (length: number) => number;
  /** Returns the number for results that differ in ignored parts: a clock that runs down may be progress. Default: `steps`. */
  readonly stepsIfVarying?: (length: number) => number;
  /** Rounds that another pattern handles. */
  readonly leaveOut?: (round: readonly CallStep[]) => boolean;
  readonly describe: (round: readonly CallStep[], steps: number) => string;
  readonly advice: string;
}

const MIN_SHOWN = 12;

/**
 * Finds rounds of calls with the same results. A round that consists of equal shorter rounds does not count with its
 * own length: six times the same call are not an alternation. O(longest round) for each call.
 */
export function roundPattern(options: RoundOptions): StuckPattern<Rounds> {
  const [shortest, longest] = options.lengths;
  const room = Math.max(2 * longest, MIN_SHOWN);
  const none = Array.from({ length: longest }, () => 0);
  return {
    name: options.name,
    initial: { recent: [], runs: none },
    apply: (before, step) => (step.kind === 'call' ? withCall(before, step, room) : before),
    find: (state) => {
      // no call has come back, which is all that most looks find
      if (state.runs === none && options.steps(shortest) > 1) return undefined;
      for (let length = shortest; length <= longest; length += 1) {
        const match = matchOf(state, length, options);
        if (match !== undefined) return match;
      }
      return undefined;
    },
  };
}

function withCall({ recent, runs }: Rounds, step: CallStep, room: number): Rounds {
  let counted = runs;
  for (let index = 0; index < runs.length; index += 1) {
    const before = runs[index] ?? 0;
    const run = recent[recent.length - 1 - index]?.key === step.key ? before + 1 : 0;
    // most calls come back nowhere, and nothing is copied for them
    if (run !== before) counted = counted.with(index, run);
  }
  const kept = recent.length < room ? recent : recent.slice(1);
  return { recent: [...kept, step], runs: counted };
}

function matchOf(state: Rounds, length: number, options: RoundOptions): PatternMatch | undefined {
  const steps = stepsInRounds(state, length);
  if (steps < options.steps(length)) return undefined;
  const round = state.recent.slice(-length);
  // Waiting is not a loop before it has been allowed for long enough, even when something else is called in between.
  const threshold = isVarying(state, steps) ? (options.stepsIfVarying ?? options.steps) : options.steps;
  const needed = Math.max(threshold(length), (1 + mostAllowed(round)) * length);
  if (steps < needed || hasShorterRound(state, length, needed) || options.leaveOut?.(round) === true) return undefined;
  const shown: readonly Step[] = state.recent.slice(-steps);
  return { steps: shown, round: length, description: options.describe(round, steps), advice: options.advice };
}

/** Returns the number of last calls that are rounds of this length; 0 if not one call came back. */
function stepsInRounds({ recent, runs }: Rounds, length: number): number {
  const run = runs[length - 1] ?? 0;
  return recent.length < length || (run === 0 && length > 1) ? 0 : run + length;
}

function hasShorterRound(state: Rounds, length: number, steps: number): boolean {
  for (let shorter = 1; shorter <= length / 2; shorter += 1) {
    if (length % shorter === 0 && stepsInRounds(state, shorter) >= steps) return true;
  }
  return false;
}

/** True if calls with the same result have results that are not the same to the letter. */
function isVarying({ recent }: Rounds, steps: number): boolean {
  const exact = new Map<string, string>();
  return recent.slice(-steps).some((step) => {
    const other = exact.get(step.key) ?? step.exact;
    exact.set(step.key, step.exact);
    return other !== step.exact;
  });
}

function mostAllowed(round: readonly CallStep[]): number {
  return round.reduce((most, { allowance }) => Math.max(most, allowance), 0);
}
