import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseOptions, USAGE } from './options.ts';
import { playStorm } from './play-storm.ts';
import { isClean, resultLine } from './result-line.ts';

/** Plays the storm, prints one line of JSON, and exits with 1 unless nothing was found and a takeover happened. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(USAGE);
  const tell = (line: string): void => void (options.json || process.stderr.write(`${line}\n`));
  tell(`seed ${options.seed}`);
  const folder = await mkdtemp(join(tmpdir(), 'conv-failover-'));
  // servers are started often: most of that time goes into loading what they run
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const began = Date.now();
  try {
    const log = (line: string): void => void (options.verbose && tell(`${seconds(began)} ${line}`));
    const played = await playStorm(options, folder, log);
    for (const line of [...played.remarks, ...played.findings.lines]) tell(line);
    process.stdout.write(`${resultLine(options, played)}\n`);
    process.exitCode = isClean(options, played) ? 0 : 1;
  } finally {
    if (options.keep) tell(folder);
    else rmSync(folder, { recursive: true, force: true });
  }
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1).padStart(6);
}

await main();
