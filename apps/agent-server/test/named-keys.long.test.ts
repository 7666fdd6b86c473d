import { execa } from 'execa';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { filesWith } from '@conv/testing-harness';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const cwd = newFolder();
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ cwd });
});

afterAll(async () => {
  await server.stop();
});

/** Runs `conv-server keys` with these arguments. */
async function keys(
  ...args: readonly string[]
): Promise<{ status: number | undefined; said: string; refused: string }> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [program, 'keys', ...args], {
    cwd,
    reject: false,
  });
  return { status: exitCode, said: stdout, refused: stderr };
}

async function add(...args: readonly string[]): Promise<string> {
  const { said } = await keys('add', ...args);
  return /^Key ([\w-]+)$/m.exec(said)?.[1] ?? '';
}

async function statusOf(key: string, path = '/api/conversations/count'): Promise<number> {
  return (await server.call('GET', path, undefined, { 'x-session-api-key': key })).status;
}

test('a key that is added opens a running server, as far as its scopes go, until it is revoked', async () => {
  const key = await add('ann', '--scope', 'read', '--owner-only');
  await eventually(async () => (await statusOf(key)) === 200);
  expect(await statusOf(key, '/api/file/home')).toBe(403);
  expect((await keys('list')).said).toBe('ann  read  own conversations  valid');
  expect((await keys('revoke', 'ann')).status).toBe(0);
  await eventually(async () => (await statusOf(key)) === 401);
  expect((await keys('list')).said).toMatch(/^ann {2}read {2}own conversations {2}revoked 20/);
});

test('a key is listed with its daily limits and what it has used, and a wrong limit is refused', async () => {
  const key = await add('counted', '--scope', 'read', '--runs-per-day', '3', '--cost-per-day', '0.5');
  await eventually(async () => (await statusOf(key)) === 200);
  expect((await keys('list')).said).toContain('counted  read  all conversations  0 of 3 runs, $0 of $0.5 today  valid');
  const { body } = await server.call('GET', '/api/auth/session', undefined, { 'x-session-api-key': key });
  expect(body['daily']).toMatchObject({ runs: { limit: 3, used: 0 }, cost: { limit: 0.5, used: 0 } });
  expect((await keys('revoke', 'counted')).status).toBe(0);
  for (const wrong of ['--runs-per-day=1.5', '--runs-per-day=0', '--cost-per-day=free'])
    expect(await keys('add', 'wrong', '--scope', 'run', wrong)).toMatchObject({ status: 2 });
});

test('a key that names a folder starts conversations in it and in no other, and reaches no other file', async () => {
  const given = newFolder();
  const limits = ['--owner-only', '--folder', given];
  const key = await add('guest', '--scope', 'read', '--scope', 'run', '--scope', 'admin', ...limits);
  await eventually(async () => (await statusOf(key)) === 200);
  expect((await keys('list')).said).toContain(`guest  read,run,admin  own conversations  in ${given}  valid`);
  expect(await statusOf(key, `/api/file/search_subdirs?path=${given}`)).toBe(200);
  expect(await statusOf(key, `/api/file/search_subdirs?path=${cwd}`)).toBe(403);
  expect(await statusOf(key, '/api/bash/bash_events/search')).toBe(403);
});

test('a key is in no file and in no log', async () => {
  const key = await add('canary', '--scope', 'read', '--scope', 'run', '--tag', 'team=red', '--expires', '30d');
  await eventually(async () => (await statusOf(key)) === 200);
  expect(filesWith(cwd, key)).toEqual([]);
  expect(server.log).not.toContain(key);
  const [line = ''] = (await keys('list', '--json')).said.split('\n').filter((one) => one.includes('canary'));
  expect(JSON.parse(line)).toMatchObject({
    name: 'canary',
    scopes: ['read', 'run'],
    limits: { tags: { team: 'red' } },
  });
  expect(line).not.toContain('digests');
});

test('P4: a damaged record makes its own key void, and is named beside the others', async () => {
  const [zoe, eve] = [await add('zoe', '--scope', 'read'), await add('eve', '--scope', 'read')];
  await eventually(async () => (await statusOf(zoe)) === 200 && (await statusOf(eve)) === 200);
  const folder = join(cwd, 'workspace', '.openhands', 'registry', 'keys', 'eve');
  const file = join(folder, readdirSync(folder)[0] ?? '');
  const bytes = readFileSync(file);
  bytes[20] = (bytes[20] as number) ^ 1;
  writeFileSync(file, bytes);
  await eventually(async () => (await statusOf(eve)) === 401);
  expect(await statusOf(zoe)).toBe(200);
  const { status, said, refused } = await keys('list');
  expect([status, said, refused]).toEqual([
    1,
    expect.stringMatching(/^zoe {2}read/m),
    expect.stringContaining('eve: the folder'),
  ]);
  rmSync(folder, { recursive: true });
  expect((await keys('add', 'eve', '--scope', 'read')).status).toBe(0);
});

test.each([
  [['add', 'x', '--scope', 'write'], '--scope: expected read, run, approve, admin'],
  [
    ['add', 'x', '--scope', 'read,run'],
    '--scope: expected read, run, approve, admin, each by a --scope of its own, found "read,run"',
  ],
  [['add', 'x', '--scope', 'read', '--tag', 'team=a', '--tag', 'team=b'], 'found "team=a" and "team=b"'],
  [['add', '../x', '--scope', 'read'], 'name: expected'],
  [['add', 'x', '--scope', 'read', '--expires', 'soon'], '--expires: expected'],
  [['add', 'x', '--scope', 'read', '--tag', 'red'], '--tag: expected KEY=VALUE'],
  [['add', 'x'], "required option '--scope <scope>' not specified"],
  [['revoke', 'nobody'], 'name: expected the name of a key'],
])('wrong arguments are named: %j', async (args, text) => {
  const { status, refused } = await keys(...args);
  expect([status, refused]).toEqual([2, expect.stringContaining(text)]);
});
