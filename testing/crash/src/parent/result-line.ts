import type { StoreKind } from '@conv/testing-harness';

import type { Options } from '../options.ts';
import type { Counter } from '../report.ts';
import type { PlayedRound } from './play-rounds.ts';

const OF_A_LOG: readonly Counter[] = ['lost', 'duplicated', 'misordered', 'unopenable'];
const OF_A_CONVERSATION: readonly Counter[] = [...OF_A_LOG, 'orphanedCalls', 'weakenedSettings'];

/** Returns the result of all rounds on one store, as a line of JSON. */
export function resultLine(
  store: StoreKind,
  { rounds, twoWriters }: Pick<Options, 'rounds' | 'twoWriters'>,
  results: readonly PlayedRound[],
): string {
  const sum = (of: (result: PlayedRound) => number): number => results.reduce((total, result) => total + of(result), 0);
  const counters = twoWriters ? OF_A_LOG : OF_A_CONVERSATION;
  const found = counters.map((counter) => [counter, sum(({ findings }) => findings.counts[counter])] as const);
  const exchanged = {
    takeovers: sum(({ takeovers }) => takeovers ?? 0),
    fenced: sum(({ fenced }) => fenced ?? 0),
  };
  return JSON.stringify({
    store,
    ...(twoWriters ? { twoWriters } : {}),
    rounds,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    ...(twoWriters ? exchanged : {}),
    ...Object.fromEntries(found),
  });
}
