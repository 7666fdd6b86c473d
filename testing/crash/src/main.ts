import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseOptions, USAGE } from './options.ts';
import { playRounds } from './parent/play-rounds.ts';
import { resultLine } from './parent/result-line.ts';

/** Plays the rounds, prints one line of JSON for each store, and exits with 1 unless nothing was found. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(USAGE);
  process.stderr.write(`seed ${options.seed}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'conv-crash-'));
  // processes are short-lived and spend most of their time loading code
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  let clean = true;
  for (const kind of options.stores) {
    const results = await playRounds(kind, options, folder);
    clean &&= results.every(({ findings }) => findings.lines.length === 0);
    process.stdout.write(`${resultLine(kind, options, results)}\n`);
  }
  if (clean || !options.keep) rmSync(folder, { recursive: true, force: true });
  process.exitCode = clean ? 0 : 1;
}

await main();
