import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseOptions, USAGE } from './options.ts';
import { playRounds } from './play-rounds.ts';
import { resultLine, trafficLines } from './result-line.ts';

/** Plays the rounds, prints one line of JSON, and exits with 1 unless nothing was found. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(USAGE);
  process.stderr.write(`seed ${options.seed}\n`);
  const folder = await mkdtemp(join(tmpdir(), 'conv-chaos-'));
  // servers are short-lived and spend most of their time loading code
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  try {
    const played = await playRounds(options, folder);
    for (const line of trafficLines(played)) process.stderr.write(`${line}\n`);
    process.stdout.write(`${resultLine(played.results)}\n`);
    process.exitCode = played.results.every(({ findings }) => findings.lines.length === 0) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
