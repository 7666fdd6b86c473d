import { commandLine } from '@conv/testing-harness';

import { ATTEMPTS } from './attempts/index.ts';
import { playAttempt } from './play-attempt.ts';
import { smallSandboxes } from './sandboxes.ts';

const USAGE = `Tries to get out of the sandbox as an agent's command would: each attempt without a sandbox, in the strict one and in the
default one, and those over the network where a list of hosts is open, all with small limits. An attempt counts if it gets out without a sandbox. Exits with 1 when one gets out of the sandbox, or does not count.

  npm run escape -- [--only TEXT] [--exhausting | --no-exhausting] [--json]

  --only TEXT       attempts whose name has this text
  --exhausting      only attempts that take what the machine has
  --no-exhausting   all other attempts
  --json            a JSON object for each attempt, and nothing else
`;

/** Plays the attempts, and prints a line for each. */
async function main(): Promise<void> {
  const options = commandLine(process.argv.slice(2), {
    only: { type: 'string', default: '' },
    exhausting: { type: 'boolean', default: false },
    'no-exhausting': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (options.help) return void process.stdout.write(USAGE);
  const chosen = ATTEMPTS.filter(
    ({ name, exhausting = false }) =>
      name.includes(options.only) && !(exhausting ? options['no-exhausting'] : options.exhausting),
  );
  const sandboxes = smallSandboxes();
  let failed = chosen.length === 0 ? 1 : 0;
  for (const attempt of chosen) {
    const played = await playAttempt(attempt, sandboxes);
    if (!played.ok) failed += 1;
    const hosts = played.hosts === undefined ? '' : `, hosts ${played.hosts}`;
    const words = `${played.ok ? 'ok  ' : 'FAIL'}  without ${played.without}, strict ${played.with}, default ${played.auto}${hosts}: ${attempt.name}`;
    process.stdout.write(`${options.json ? JSON.stringify(played) : words}\n`);
  }
  if (!options.json) process.stdout.write(`${chosen.length} attempts, ${failed} of them failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

await main();
