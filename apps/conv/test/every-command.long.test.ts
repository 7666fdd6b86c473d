import { join } from 'node:path';
import process from 'node:process';

import { inCi } from '@conv/testing-harness';
import type { ModelServer } from '@conv/testing-model-server';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startServer, type TestServer } from './agent-server.ts';
import { chatModel, environmentOf } from './chat/model.ts';
import { commandOf, conv, convProcess, type Setting } from './command.ts';
import { newFolder } from './new-folder.ts';

let server: TestServer;
let model: ModelServer;
beforeAll(async () => {
  [server, model] = await Promise.all([startServer(newFolder()), chatModel()]);
});
afterAll(() => model.close());

/** The key of the servers that `serve` starts. */
const KEY = 'the-key-of-serve-0123456789';

/** A place with one conversation, and the options that name it. */
interface Place {
  readonly setting: Setting;
  readonly options: readonly string[];
  readonly id: string;
}

async function placeIn(kind: string): Promise<Place> {
  const setting = { cwd: newFolder(), env: { ...server.env, ...environmentOf(model) } };
  const options = kind === 'server' ? ['--server', server.url] : ['--store', `${kind}:${join(setting.cwd, 'own')}`];
  const run = await conv(setting, 'run', 'please `echo first`', '--workspace', newFolder(), ...options);
  const [, id] = /conversation ([0-9a-f-]{36})/.exec(run.stderr) ?? [];
  if (run.exitCode !== 0 || id === undefined) throw new Error(`expected a run that finishes, found: ${run.stderr}`);
  return { setting, options, id };
}

/** Starts a command that reads a message from standard input. */
function started({ cwd, env = {} }: Setting, args: readonly string[], input = '') {
  const command = commandOf(...args);
  const given = { ...command.env, ...env, XDG_STATE_HOME: join(cwd, 'state') };
  return execa(process.execPath, command.args, { cwd, extendEnv: false, env: given, input, reject: false });
}

/** The commands about conversations, each with its arguments and a part of what it prints. */
const EVERYWHERE: readonly (readonly [name: string, args: (id: string) => readonly string[], printed: string])[] = [
  ['run', () => ['please `echo second`', '--workspace', newFolder()], 'echo second'],
  ['list', () => [], 'finished'],
  ['show', (id) => [id.slice(0, 8)], 'echo first'],
  ['replay', (id) => [id.slice(0, 8)], 'echo first'],
  ['messages', (id) => [id.slice(0, 8)], 'echo first'],
  ['fork', (id) => [id.slice(0, 8)], '-'],
  ['resume', (id) => [id, 'now `echo third`'], 'echo third'],
  ['confirm-damage', (id) => [id], 'limits'],
  ['diagram', (id) => [id], 'sequenceDiagram'],
  ['export', (id) => [id.slice(0, 8), '--html', 'page.html'], 'page.html'],
  ['chat', (id) => [id.slice(0, 8), '-'], 'You said: and now?'],
  ['delete', (id) => [id.slice(0, 8), '--yes'], '-'],
];

const stores = inCi(['fs', 'sqlite'], 2);

test.each([...stores, 'server'])(
  'every command about conversations works with a place of the kind %s',
  async (kind) => {
    const { setting, options, id } = await placeIn(kind);
    for (const [name, args, printed] of EVERYWHERE) {
      const ended = await started(setting, [name, ...args(id), ...options], 'and now?');
      expect(ended.exitCode, `${name}: ${String(ended.stderr)}`).toBe(0);
      expect(`${String(ended.stdout)}\n`).toContain(printed);
    }
    expect((await conv(setting, 'show', id, ...options)).exitCode).toBe(3);
  },
);

test.each(stores)('check, backup and copy work with a store of the kind %s', async (kind) => {
  const { setting, options, id } = await placeIn(kind);
  for (const args of [
    ['check', ...options],
    ['check', id.slice(0, 8), ...options],
    ['backup', ...options, '--to', 'sqlite:all.db'],
    ['copy', id.slice(0, 8), ...options, '--to', 'fs:one'],
  ])
    expect([args, (await convProcess(setting, ...args)).exitCode]).toEqual([args, 0]);
  for (const copy of ['sqlite:all.db', 'fs:one'])
    expect((await conv(setting, 'show', id, '--store', copy)).stdout).toContain('echo first');
});

test.each([
  ['check', [], 'check reads the records of a store, which a server does not provide'],
  ['backup', ['--to', 'fs:b'], 'backup reads the records of a store, which a server does not provide'],
  ['copy', ['abcd', '--to', 'fs:b'], 'copy reads the records of a store, which a server does not provide'],
  ['serve', [], 'serve starts a server, so it takes the store of the server, and no other server'],
])('%s with a server says that it needs a store', async (name, args, said) => {
  const ended = await conv({ cwd: newFolder(), env: server.env }, name, ...args, '--server', server.url);
  expect(ended).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(said) });
});

test.each(stores)('serve serves a store of the kind %s', async (kind) => {
  const { setting, options, id } = await placeIn(kind);
  const served = started({ ...setting, env: { LOG_JSON: 'true', OH_SESSION_API_KEYS_0: KEY } }, [
    'serve',
    '--port',
    '0',
    ...options,
  ]);
  const [, url = ''] = await saidBy(served, /"url":"([^"]+)".*"msg":"listening"/);
  const there = { ...setting, env: { OH_SESSION_API_KEY: KEY } };
  expect((await conv(there, 'list', '--server', url)).stdout).toContain(id);
  served.kill('SIGTERM');
  expect((await served).exitCode).toBe(0);
});

test.each([...stores, 'server'])('studio opens a place of the kind %s', async (kind) => {
  const { setting, options } = await placeIn(kind);
  const studio = started(setting, ['studio', '--no-open', '--port', '0', ...options]);
  const [, url = ''] = await saidBy(studio, /Open (http:\/\/\S+?)\/studio/);
  const page = await fetch(`${url}/studio/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
  studio.kill('SIGTERM');
  await studio;
});

/** Resolves with what a program says, once it matches. Rejects when the program ends before. */
async function saidBy(program: ReturnType<typeof started>, expected: RegExp): Promise<RegExpExecArray> {
  let said = '';
  const matched = new Promise<RegExpExecArray>((resolve) => {
    for (const stream of [program.stdout, program.stderr])
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        const match = expected.exec(said);
        if (match) resolve(match);
      });
  });
  const ended = program.then(() => Promise.reject(new Error(`it ended: ${said}`)));
  ended.catch(() => undefined);
  return await Promise.race([matched, ended]);
}
