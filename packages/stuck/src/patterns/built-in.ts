import type { StuckThresholds } from '../stuck-options.ts';
import type { StuckPattern } from '../stuck-pattern.ts';
import { contextWindowPattern } from './context-window-pattern.ts';
import { errorPattern } from './error-pattern.ts';
import { monologuePattern } from './monologue-pattern.ts';
import { roundPattern } from './round-pattern.ts';

/** The patterns of this package, in the order in which they are looked for. */
export function builtInPatterns(thresholds: StuckThresholds, maxCycleLength: number): readonly StuckPattern[] {
  return [
    errorPattern(thresholds.actionError),
    repeatPattern(thresholds.actionObservation),
    alternatingPattern(thresholds.alternatingPattern),
    cyclePattern(thresholds.cycle, maxCycleLength),
    monologuePattern(thresholds.monologue),
    contextWindowPattern(thresholds.contextWindow),
  ];
}

function repeatPattern(threshold: number): StuckPattern {
  return roundPattern({
    name: 'repeat',
    lengths: [1, 1],
    steps: () => threshold,
    stepsIfVarying: () => 2 * threshold,
    // Failures have a threshold of their own, which may be higher.
    leaveOut: (round) => round[0]?.outcome === 'failed',
    describe: (round, steps) =>
      `The same call of \`${round[0]?.tool}\` has been made ${steps} times in a row, with the same result each time.`,
    advice:
      'Making it again will not change the result. Look at what it says and do something else: other arguments, another tool, or say what stands in the way.',
  });
}

function alternatingPattern(threshold: number): StuckPattern {
  return roundPattern({
    name: 'alternating',
    lengths: [2, 2],
    steps: () => threshold,
    describe: ([one, other], steps) =>
      one?.tool === other?.tool
        ? `Two calls of \`${one?.tool}\` have taken turns for ${steps} calls, with the same results each time.`
        : `A call of \`${one?.tool}\` and one of \`${other?.tool}\` have taken turns for ${steps} calls, with the same results each time.`,
    advice: 'Going to and fro will not change the results. Decide what is missing and take another way to get it.',
  });
}

function cyclePattern(threshold: number, maxLength: number): StuckPattern {
  return roundPattern({
    name: 'cycle',
    lengths: [3, maxLength],
    steps: (length) => threshold * length,
    describe: (round, steps) =>
      `The same ${round.length} calls (${toolsOf(round)}) have been made ${Math.floor(steps / round.length)} times over, with the same results each time.`,
    advice:
      'Another round will not change the results. Leave this plan and take another way, or say what stands in the way.',
  });
}

function toolsOf(round: readonly { readonly tool: string }[]): string {
  return [...new Set(round.map(({ tool }) => `\`${tool}\``))].join(', ');
}
