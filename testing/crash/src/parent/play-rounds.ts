import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, type StoreKind } from '@conv/testing-harness';

import type { Options } from '../options.ts';
import { Duel, type DuelResult } from './duel.ts';
import { openGround } from './places/open-ground.ts';
import type { Ground } from './places/place.ts';
import { Round, type RoundResult } from './round.ts';

/** The result of a round of either sort. */
export type PlayedRound = RoundResult & Partial<Pick<DuelResult, 'takeovers' | 'fenced'>>;

/** Plays all rounds on one store. Files to be kept stay in `parent`. */
export async function playRounds(kind: StoreKind, options: Options, parent: string): Promise<readonly PlayedRound[]> {
  const ground = await openGround(kind);
  try {
    const random = new Random(options.seed);
    const seeds = Array.from({ length: options.rounds }, () => random.seed());
    const results: PlayedRound[] = [];
    const rounds = seeds.entries();
    const lane = async (): Promise<void> => {
      for (const [round, seed] of rounds) {
        const folder = join(parent, `${kind}-${round}`);
        results.push(await playOne({ kind, ground, folder, seed }, options));
      }
    };
    await Promise.all(Array.from({ length: options.parallel }, lane));
    return results;
  } finally {
    await ground.close();
  }
}

interface Setting {
  readonly kind: StoreKind;
  readonly ground: Ground;
  readonly folder: string;
  readonly seed: number;
}

async function playOne(
  { kind, ground, folder, seed }: Setting,
  { breakage, keep, twoWriters, verbose }: Options,
): Promise<PlayedRound> {
  const story: string[] = [];
  const place = await ground.place(folder, seed);
  try {
    const plan = { kind, seed, folder, place, breakage, log: (line: string): void => void story.push(line) };
    const result = twoWriters ? await new Duel(plan).play() : await Round.play(plan);
    const { lines } = result.findings;
    if (verbose || lines.length > 0) tell(`round on ${kind} (seed ${seed}, ${folder})`, lines);
    if (lines.length === 0 || !keep) rmSync(folder, { recursive: true, force: true });
    else writeFileSync(join(folder, 'story.txt'), `${story.join('\n')}\n`);
    return result;
  } finally {
    await place.close();
  }
}

function tell(title: string, lines: readonly string[]): void {
  process.stderr.write(`${[title, ...lines].join('\n  ')}\n`);
}
