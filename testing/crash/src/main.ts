import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseOptions, type Options } from './options.ts';
import { Round, type RoundResult } from './parent/round.ts';
import { Random } from './random.ts';
import type { Counter } from './report.ts';

const COUNTERS: readonly Counter[] = [
  'lost',
  'duplicated',
  'misordered',
  'unopenable',
  'orphanedCalls',
  'weakenedSettings',
];

/** Plays the rounds, prints one line of JSON, and exits with 1 unless nothing was found. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  process.stderr.write(`seed ${options.seed}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'conv-crash-'));
  // lives are short: most of their time goes into loading what they run
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const results: RoundResult[] = [];
  const random = new Random(options.seed);
  const seeds = Array.from({ length: options.rounds }, () => random.seed());
  const rounds = seeds.entries();
  await Promise.all(Array.from({ length: options.parallel }, () => playAll(rounds, folder, options, results)));
  const clean = results.every(({ findings }) => findings.lines.length === 0);
  if (clean || !options.keep) rmSync(folder, { recursive: true, force: true });
  print(options, results);
  process.exitCode = clean ? 0 : 1;
}

/** Takes one round after the other until none is left. */
async function playAll(
  rounds: Iterable<[number, number]>,
  parent: string,
  options: Options,
  results: RoundResult[],
): Promise<void> {
  for (const [round, seed] of rounds) {
    const folder = join(parent, `round-${round}`);
    const story: string[] = [];
    const result = await new Round({
      seed,
      folder,
      breakage: options.breakage,
      log: (line) => story.push(line),
    }).play();
    results.push(result);
    const { lines } = result.findings;
    if (options.verbose || lines.length > 0) tell(`round ${round} (seed ${seed}, ${folder})`, lines);
    if (lines.length === 0 || !options.keep) rmSync(folder, { recursive: true, force: true });
    else writeFileSync(join(folder, 'story.txt'), `${story.join('\n')}\n`);
  }
}

function tell(title: string, lines: readonly string[]): void {
  process.stderr.write(`${[title, ...lines].join('\n  ')}\n`);
}

function print({ rounds }: Options, results: readonly RoundResult[]): void {
  const acknowledged = results.reduce((sum, result) => sum + result.acknowledged, 0);
  const totals = COUNTERS.map((counter) => {
    const total = results.reduce((sum, { findings }) => sum + findings.counts[counter], 0);
    return [counter, total] as const;
  });
  process.stdout.write(`${JSON.stringify({ rounds, acknowledged, ...Object.fromEntries(totals) })}\n`);
}

await main();
