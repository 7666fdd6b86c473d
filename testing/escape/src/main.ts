import { commandLine, firstInCi, wholeNumber } from '@conv/testing-harness';

import { ATTEMPTS, COMMAND_ATTEMPTS, isPossible } from './attempts/index.ts';
import { Contained, SMALL_CONTAINER } from './contained.ts';
import { isProved, playAttempt, playInContainer, type Played, type PlayedInContainer } from './play-attempt.ts';
import { smallSandboxes } from './sandboxes.ts';
import { worldsFolder } from './world.ts';

const USAGE = `Tries to get out of the sandbox as an agent's command would: each attempt without a sandbox, in the strict one and in the
default one, and those over the network where a list of hosts is open, all with small limits. An attempt counts if it gets out without a sandbox. Exits with 1 when one gets out of the sandbox, or does not count.

  npm run escape -- [--only TEXT] [--exhausting | --no-exhausting] [--container IMAGE] [--every N] [--json]

  --only TEXT       attempts whose name has this text
  --exhausting      only attempts that take what the machine has
  --no-exhausting   all other attempts
  --container IMAGE commands alone, without a sandbox and in a container of this image of Docker or Podman; its network is open. An attempt
                    whose programs the image does not have is not tried, and one attempt at least must be held; npm run image builds
                    localhost/conv-escape, which has them all
  --every N         only every Nth attempt; CI begins with another one each day
  --json            a JSON object for each attempt, and nothing else
`;

/** Plays the attempts, and prints a line for each. */
async function main(): Promise<void> {
  const options = commandLine(process.argv.slice(2), {
    only: { type: 'string', default: '' },
    exhausting: { type: 'boolean', default: false },
    'no-exhausting': { type: 'boolean', default: false },
    container: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  });
  if (options.help) return void process.stdout.write(USAGE);
  const { container: image } = options;
  const every = wholeNumber('every', options.every, 1);
  const wanted = (image === '' ? ATTEMPTS : COMMAND_ATTEMPTS).filter(
    ({ name, exhausting = false, ...attempt }) =>
      isPossible(attempt) &&
      name.includes(options.only) &&
      !(exhausting ? options['no-exhausting'] : options.exhausting),
  );
  // fewer attempts than a step have one in each run
  const first = firstInCi(every) % Math.min(every, wanted.length);
  const chosen = wanted.filter((_, at) => at % every === first);
  await using contained = image === '' ? undefined : new Contained(image, worldsFolder());
  // apart, so that no other attempt is held because the container has just ended
  await using small = image === '' ? undefined : new Contained(image, worldsFolder(), SMALL_CONTAINER);
  const sandboxes = smallSandboxes();
  let failed = chosen.length === 0 ? 1 : 0;
  let untried = 0;
  let proved = 0;
  for (const attempt of chosen) {
    const place = attempt.exhausting === true ? small : contained;
    const played = place ? await playInContainer(attempt, place) : await playAttempt(attempt, sandboxes);
    // what is left of a bomb of processes would hold back the next attempt
    if (place === small) await small?.end();
    if (!played.ok) failed += 1;
    if ('container' in played) {
      if (played.missing) untried += 1;
      if (isProved(played)) proved += 1;
    }
    process.stdout.write(`${options.json ? JSON.stringify(played) : wordsOf(played)}\n`);
  }
  const inContainer = contained ? `, ${proved} were held, ${untried} could not be tried` : '';
  if (!options.json) process.stdout.write(`${chosen.length} attempts, ${failed} of them failed${inContainer}\n`);
  process.exitCode = failed > 0 || (contained && proved === 0) ? 1 : 0;
}

function wordsOf(played: Played | PlayedInContainer): string {
  const verdict = `${played.ok ? 'ok  ' : 'FAIL'}  without ${played.without}`;
  if ('container' in played) {
    const missing = played.missing === undefined ? '' : `, without ${played.missing.join(', ')}`;
    return `${verdict}, container ${played.container}${missing}: ${played.attempt}`;
  }
  const hosts = played.hosts === undefined ? '' : `, hosts ${played.hosts}`;
  return `${verdict}, strict ${played.with}, default ${played.auto}${hosts}: ${played.attempt}`;
}

await main();
