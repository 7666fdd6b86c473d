import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './support/folders.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const KEY = 'the-key-of-the-server-behind-0123456789';

/** The program as a process, and what it has written. */
interface Started {
  readonly child: ChildProcess;
  readonly written: () => string;
  /** Resolves with the first match of the pattern in what was written; rejects if the process ends without it. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<number | null>;
}

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd: string = newFolder(),
): Started {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: newFolder(), ...environment };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let wake = Promise.withResolvers<void>();
  const take = (chunk: Buffer): void => {
    text += chunk.toString();
    wake.resolve();
    wake = Promise.withResolvers();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) return found;
      const isOver = await Promise.race([wake.promise.then(() => false), ended.then(() => true)]);
      if (isOver && !pattern.test(text)) throw new Error(`it ended without ${pattern.source}: ${text}`);
    }
  };
  return { child, written: () => text, said, ended };
}

test('the program prints a start link, answers, and ends at a signal', async () => {
  const folder = newFolder();
  const studio = start([`fs:${folder}`, '--port', '0']);
  const [, link = ''] = await studio.said(/^Open (\S+#ticket=[\w-]{43})$/m);
  expect(studio.written()).toContain(`studio shows fs:${folder}\n`);
  expect((await fetch(link)).status).toBe(200);
  const { origin } = new URL(link);
  expect((await fetch(`${origin}/api/conversations/search`)).status).toBe(401);
  studio.child.kill('SIGTERM');
  expect(await studio.ended).toBe(0);
});

test('a second start on the same port says so and what to do', async () => {
  const first = start([`fs:${newFolder()}`, '--port', '0']);
  const [, port = ''] = await first.said(/^Open http:\/\/127\.0\.0\.1:(\d+)\//m);
  const second = start([`fs:${newFolder()}`, '--port', port]);
  expect(await second.ended).toBe(2);
  expect(second.written()).toBe(
    `studio: port ${port}: another program listens there, maybe studio; use its page, or choose another port with --port, 0 for any free port\n`,
  );
});

test("the user's conversations are shown when no place is named", async () => {
  const data = newFolder();
  const studio = start(['--port', '0'], { XDG_DATA_HOME: data });
  await studio.said(/^Open /m);
  expect(studio.written()).toContain(`studio shows fs:${data}/conv/conversations\n`);
});

test.each([
  ['fs:mistyped', 'mistyped'],
  ['./mistyped', 'mistyped'],
  ['sqlite:mistyped.db', 'mistyped.db'],
])('the store %s that is not there is named, and none is made', async (place, path) => {
  const cwd = newFolder();
  const studio = start([place, '--port', '0'], {}, cwd);
  expect(await studio.ended).toBe(2);
  expect(studio.written()).toBe(
    `studio: there is no store at ${join(cwd, path)}; check the address, a store is made by its first conversation\n`,
  );
  expect(readdirSync(cwd)).toEqual([]);
});

test("the user's own store may begin later, when it is named, too", async () => {
  const data = newFolder();
  const studio = start([`fs:${data}/conv/conversations`, '--port', '0'], { XDG_DATA_HOME: data });
  await studio.said(/^Open /m);
});

test('the key of a server is on no command line and in nothing that is written', async () => {
  const studio = start(['http://127.0.0.1:1', '--port', '0', '--server-key', 'THE_KEY'], { THE_KEY: KEY });
  const [, link = ''] = await studio.said(/^Open (\S+)$/m);
  const { origin, hash } = new URL(link);
  const opened = await fetch(`${origin}/api/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket: hash.replace('#ticket=', '') }),
  });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const gone = await fetch(`${origin}/api/conversations/search`, { headers: { cookie } });
  expect(gone.status).toBe(502);
  await studio.said(/ECONNREFUSED/);
  expect(readFileSync(`/proc/${studio.child.pid}/cmdline`, 'utf8')).not.toContain(KEY);
  studio.child.kill('SIGTERM');
  await studio.ended;
  expect(studio.written() + (await gone.text())).not.toContain(KEY);
});

test.each([
  [['--port', '70000'], 'expected a whole number from 0 to 65535'],
  [['ftp:nothing'], 'unknown kind of store ftp'],
  [['http://ada:secret@host'], 'found a password, a query or no address'],
  [['fs:/etc/passwd'], 'expected a folder with conversations, found a file'],
  [['http://127.0.0.1:1', '--server-key', 'NOT_SET'], 'expected the key in the environment variable NOT_SET'],
  [['http://127.0.0.1:1', '--server-key-file', '/nowhere'], '/nowhere cannot be read'],
  [['http://127.0.0.1:1', '--read-only'], 'expected a store, found a server'],
  [['http://127.0.0.1:1', '--sandbox', 'on'], 'sandbox: expected a store, found a server'],
  [['http://127.0.0.1:1', '--sandbox-host', 'example.org'], 'sandboxHosts: expected a store, found a server'],
  [['http://127.0.0.1:1', '--sandbox-read', '.'], 'sandboxRead: expected a store, found a server'],
  [['fs:.', '--sandbox', 'off', '--sandbox-read', '.'], 'sandboxRead: expected a sandbox mode other than'],
  [['fs:.', '--sandbox', 'off', '--sandbox-host', 'example.org'], 'sandboxHosts: expected a sandbox mode other than'],
  [['fs:.', '--read-only', '--sandbox', 'on'], 'expected an agent to confine, found readOnly'],
  [['fs:.', '--read-only', '--sandbox-host', 'example.org'], 'sandboxHosts: expected an agent to confine'],
])('the mistake %j is named in a line, and ends with 2', async (args, says) => {
  const studio = start([...args, ...(args.includes('--port') ? [] : ['--port', '0'])]);
  expect(await studio.ended).toBe(2);
  expect(studio.written()).toContain(says);
  expect(studio.written()).not.toMatch(/\n\s+at |secret@/);
});
