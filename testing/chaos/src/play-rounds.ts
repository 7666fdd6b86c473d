import { join } from 'node:path';

import { FsStore } from '@conv/persist-fs';
import { Random } from '@conv/testing-harness';

import type { Options } from './options.ts';
import { Round, type RoundResult } from './round/round.ts';
import { ServerProcess } from './round/server-process.ts';

/** Result of all rounds. */
export interface Played {
  readonly results: readonly RoundResult[];
  /** The number of times that a server was killed. */
  readonly kills: number;
}

/** Plays all rounds, several at the same time; servers store in folders below `parent`. */
export async function playRounds(options: Options, parent: string): Promise<Played> {
  const results: RoundResult[] = [];
  let kills = 0;
  // any round can be repeated alone: the first round has the seed of the whole run
  const random = new Random(options.seed);
  const seeds = Array.from({ length: options.rounds }, (_, round) => (round === 0 ? options.seed : random.seed()));
  const rounds = seeds.entries();
  const lane = async (_: unknown, number: number): Promise<void> => {
    const directory = join(parent, `server-${number}`);
    const { seed, legacy, breakage } = options;
    await using server = await ServerProcess.start({ directory, seed: seed + number, legacy, breakage });
    const store = new FsStore({ directory });
    for (const [round, of] of rounds) results.push(await playOne(round, of, { server, store, options }));
    await store.close();
    kills += server.kills;
  };
  await Promise.all(Array.from({ length: Math.min(options.parallel, options.rounds) }, lane));
  return { results, kills };
}

async function playOne(
  round: number,
  seed: number,
  { server, store, options }: { server: ServerProcess; store: FsStore; options: Options },
): Promise<RoundResult> {
  const story: string[] = [];
  const { timeout, verbose } = options;
  const started = Date.now();
  const result = await Round.play({ seed, server, store, timeout, log: (line) => void story.push(line) });
  const { lines } = result.findings;
  const title = `round ${round} (seed ${seed}): ${result.events} events, ${Date.now() - started} ms`;
  const said = lines.length > 0 ? server.errors.split('\n').slice(-10) : [];
  if (verbose || lines.length > 0) process.stderr.write(`${[title, ...lines, ...story, ...said].join('\n  ')}\n`);
  return result;
}
