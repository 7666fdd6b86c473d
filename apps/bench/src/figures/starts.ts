import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { serverProgram } from '@conv/agent-server';
import { keptPort } from '@conv/testing-harness';

import { median, time, timeBeside, type Figure } from '../figure.ts';
import { fillFolder } from '../listed-conversations.ts';
import { serverEnvironment } from '../peers/servers/server-process.ts';
import { Place } from '../place.ts';

const run = promisify(execFile);

/** Milliseconds between two requests to a server that does not answer yet. */
const AGAIN = 2;

/** Bytes of output that a list may have. */
const MOST_OUTPUT = 2 ** 28;

const CONV = fileURLToPath(new URL('dist/main.js', import.meta.resolve('@conv/cli/package.json')));

const EMPTY_SERVER = `import { fastify } from ${JSON.stringify(import.meta.resolve('fastify'))};
  const app = fastify();
  app.get('/alive', async () => ({ status: 'ok' }));
  await app.listen({ host: '127.0.0.1', port: Number(process.argv.at(-1)) });`;

/** Reads the file of summaries that a list comes from, and prints a line for each. */
const BARE_LIST = `import { readFileSync } from 'node:fs';
  import { Command } from ${JSON.stringify(import.meta.resolve('commander'))};
  const list = (file) => {
    const lines = readFileSync(file, 'utf8').split('\\n').slice(1, -1);
    const read = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'), line.lastIndexOf('}') + 1)).summary);
    process.stdout.write(read.map(({ id, status, updatedAt, title }) => [id, status, updatedAt, title].join('  ') + '\\n').join(''));
  };
  new Command('list').argument('<file>').action(list).parse(process.argv.slice(-1), { from: 'user' });`;

/**
 * Milliseconds from the start of the server's process to its first answer, in turns with empty Fastify: for a user who never started it, as in a container
 * that was just made, and again for the same user, who has started it twice.
 */
export async function serverStart(rounds: number): Promise<readonly Figure[]> {
  const [first, again, baselines]: [number[], number[], number[]] = [[], [], []];
  const server = (port: string): readonly string[] => [serverProgram, '--port', port];
  // the first round fills the caches of the disk
  for (let round = 0; round <= rounds; round++) {
    await using place = new Place();
    const value = await startTime(place, server);
    // the second start writes what it compiled
    await startTime(place, server);
    const repeated = await startTime(place, server);
    await using empty = new Place();
    const baseline = await startTime(empty, (port) => ['--input-type=module', '--eval', EMPTY_SERVER, '--', port]);
    if (round === 0) continue;
    first.push(value);
    again.push(repeated);
    baselines.push(baseline);
  }
  const baseline = median(baselines);
  return [
    timeBeside({ name: 'start.server', value: median(first), baseline, limit: 2.5 }),
    timeBeside({ name: 'start.server.again', value: median(again), baseline, limit: 2.5 }),
  ];
}

async function startTime({ directory }: Place, args: (port: string) => readonly string[]): Promise<number> {
  const port = await keptPort();
  // the home of the server is the place, and what it compiled before is found there alone
  const env = { ...serverEnvironment(directory), NODE_COMPILE_CACHE: '' };
  const begun = performance.now();
  const child = spawn(process.execPath, args(String(port)), { cwd: directory, env, stdio: 'ignore' });
  const gone = once(child, 'exit');
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      await sleep(AGAIN);
    }
    return performance.now() - begun;
  } finally {
    // what was compiled is written at an end in order
    child.kill('SIGTERM');
    await gone;
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ host: '127.0.0.1', port, path: '/alive', agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode === 200));
    });
    asked.on('error', () => resolve(false));
  });
}

/**
 * Milliseconds of `conv list` for conversations in folders, in turns with a program of commander that reads and prints their summaries from one file. The file is
 * written for 256 conversations or more.
 */
export async function listStart(conversations: number, rounds: number): Promise<readonly Figure[]> {
  await using place = new Place();
  fillFolder(place.directory, conversations);
  const options = { maxBuffer: MOST_OUTPUT, env: { ...process.env, NODE_COMPILE_CACHE: '' } };
  const list = (): Promise<unknown> =>
    run(process.execPath, [CONV, 'list', '--store', `fs:${place.directory}`], options);
  const index = join(place.directory, '.conv-list', 'summaries');
  const bare = (): Promise<unknown> =>
    run(process.execPath, ['--input-type=module', '--eval', BARE_LIST, '--', index], options);
  // writes the file of summaries
  await list();
  const [values, baselines]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    values.push(await time(list));
    baselines.push(await time(bare));
  }
  const name = `start.list.${conversations}`;
  return [timeBeside({ name, value: median(values), baseline: median(baselines), limit: 3 })];
}
