import { readdirSync } from 'node:fs';
import process from 'node:process';

import { MemoryStore } from '@conv/core/store';
import { openStore } from '@conv/stores';

import { playChurnRound } from './churn/play-churn-round.ts';

/** Number of rounds after which all permanent resources of a store are open, such as connections. */
const WARM = 20;

/** Number of rounds after which a line tells how far they are. */
const TOLD = 1000;

/** Result of the rounds on one store. */
export interface ChurnResult {
  readonly rounds: number;
  readonly failed: number;
  /** The first error. */
  readonly error?: string;
  /** Descriptors and timers after the first rounds, at the end, and after the store was closed. */
  readonly held: readonly (readonly [descriptors: number, timers: number])[];
}

function held(): readonly [number, number] {
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  return [readdirSync('/proc/self/fd').length, timers];
}

/** Waits until no more is held than before, because background work ends by itself. */
async function settled(before: readonly [number, number]): Promise<readonly [number, number]> {
  let now = held();
  for (let look = 0; look < 2_000 && now.some((count, at) => count > (before[at] ?? 0)); look++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    now = held();
  }
  return now;
}

/** Plays the rounds in this process, whose descriptors its starter has limited. */
async function main([address = 'memory', rounds = '1']: readonly string[]): Promise<void> {
  const start = held();
  const opened = address === 'memory' ? { store: new MemoryStore() } : await openStore(address);
  const errors: unknown[] = [];
  const play = async (count: number): Promise<void> => {
    for (let round = 1; round <= count; round++) {
      await playChurnRound(opened.store).catch((error) => errors.push(error));
      if (round % TOLD === 0) process.stderr.write(`${round} of ${count} rounds, ${errors.length} failed\n`);
    }
  };
  await play(WARM);
  const warm = held();
  await play(Number(rounds));
  const end = await settled(warm);
  await ('close' in opened ? opened.close() : opened.store.close());
  const result: ChurnResult = {
    rounds: Number(rounds),
    failed: errors.length,
    ...(errors.length > 0 && { error: String(errors[0]) }),
    held: [warm, end, await settled(start)],
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main(process.argv.slice(2));
