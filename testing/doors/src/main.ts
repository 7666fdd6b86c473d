import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DOORS } from './doors.ts';
import { parseOptions, USAGE } from './options.ts';
import { playCuts } from './play-cuts.ts';
import { playKills } from './play-kills.ts';
import { Tally } from './tally.ts';

/** Plays all doors, prints a line of JSON for each, and exits with 1 unless every client showed the log. */
async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(USAGE);
  const doors = DOORS.filter(({ name }) => options.door === undefined || name === options.door);
  if (doors.length === 0)
    throw new TypeError(`--door takes ${DOORS.map(({ name }) => name).join(', ')}, not ${options.door}`);
  const folder = await mkdtemp(join(tmpdir(), 'conv-doors-'));
  // servers are short-lived and spend most of their time loading code
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const tallies = doors.map((door) => new Tally(door.name, options.json));
  try {
    for (const [at, door] of doors.entries())
      await playCuts(door, options, folder, (result) => tallies[at]?.take(result));
    await playKills(doors, options, folder, (door, result) => tallies[doors.indexOf(door)]?.take(result));
    for (const tally of tallies) process.stdout.write(`${tally.line}\n`);
    process.exitCode = tallies.every(({ isEqual }) => isEqual) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
// the client of a round without an end goes on
process.exit();
