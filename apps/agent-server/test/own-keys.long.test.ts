import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';

import { fernetCipher } from '@conv/secrets';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { eventually, launch, ServerProcess, type Setting } from './server-process.ts';

const KEY = 'session-key-canary-0f6c';
const SECRET = 'secret-key-canary-77ab';
const elsewhere = process.platform !== 'linux';

async function start(setting: Setting): Promise<ServerProcess> {
  const server = await ServerProcess.start(setting);
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server.ended();
  });
  return server;
}

/** Returns the data of a process that every process of the same user can read. */
function shown(pid: number): string {
  const files = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
  const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const path = `/proc/${pid}/fd/${fd}`;
    try {
      return statSync(path).isFile() ? [readFileSync(path, 'latin1')] : [];
    } catch {
      return [];
    }
  });
  return [...files, ...open].join('\n');
}

function statusOf(server: ServerProcess, headers: Record<string, string>): Promise<number> {
  return server.call('GET', '/api/conversations/search', undefined, headers).then(({ status }) => status);
}

test.skipIf(elsewhere)(
  'P9: a process that was given keys by its environment and its command line shows none',
  async () => {
    const setting = {
      cwd: newFolder(),
      env: { OH_SESSION_API_KEYS_0: KEY, OH_SECRET_KEY: SECRET, AWS_SECRET_ACCESS_KEY: 'cloud-canary-1' },
    };
    const server = await start(setting);
    expect(await statusOf(server, {})).toBe(200);
    const read = shown(server.pid);
    expect(read).toContain('PATH=');
    for (const canary of [KEY, SECRET, 'cloud-canary-1', 'CONV_SHUTDOWN_SECONDS']) expect(read).not.toContain(canary);
  },
);

test.skipIf(elsewhere)(
  "P9: a password in a store's address shows nowhere, and a refusing store makes the server not ready",
  async () => {
    const args = ['--store', 'postgres://conv:password-canary@127.0.0.1:1/conv'];
    const server = await start({ cwd: newFolder(), env: { OH_SESSION_API_KEYS_0: KEY }, args });
    expect(shown(server.pid) + server.log).not.toContain('password-canary');
    const { status, body } = await server.call('GET', '/ready');
    expect([status, body]).toEqual([503, { status: 'unavailable', message: 'the store does not answer' }]);
    expect((await server.call('GET', '/alive')).status).toBe(200);
  },
);

test.skipIf(elsewhere)(
  'the process that is started is the one that serves: its id, its signals and its status are as ever',
  async () => {
    const server = await start({ cwd: newFolder(), env: { OH_SESSION_API_KEYS_0: KEY } });
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'latin1')).toContain('main.js');
    expect(readdirSync(`/proc/${server.pid}/task/${server.pid}`)).toContain('children');
    expect(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')).toBe('');
    server.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
  },
);

test('SIGUSR1 opens no debugger', async () => {
  const server = await start({ cwd: newFolder(), env: { OH_SESSION_API_KEYS_0: KEY } });
  server.kill('SIGUSR1');
  for (let asked = 0; asked < 5; asked++) expect(await statusOf(server, {})).toBe(200);
  const reached = await new Promise((resolve) => {
    const socket = createConnection(9229, '127.0.0.1', () => resolve(socket.destroy() && true));
    socket.on('error', () => resolve(false));
  });
  expect(server.log).not.toContain('Debugger');
  expect(reached).toBe(false);
});

test('a server without a key makes a token, shows it once, and keeps digests alone', async () => {
  const cwd = newFolder();
  const server = await start({ cwd });
  const token = server.key as string;
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(server.said).toMatch(new RegExp(`^Open ${server.url}/\\?ticket=[\\w-]{43}$`, 'm'));
  expect(server.said.split(token)).toHaveLength(2);
  expect(await statusOf(server, { 'x-session-api-key': 'another' })).toBe(401);
  expect(await statusOf(server, {})).toBe(200);
  const file = join(cwd, 'workspace/.openhands/token.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const folder of ['workspace', 'workspace/conversations', 'workspace/project', 'workspace/.openhands'])
    expect(statSync(join(cwd, folder)).mode & 0o777).toBe(0o700);
  expect(readFileSync(file, 'utf8')).not.toContain(token);
  expect(server.log).not.toContain(token);
  await server.stop();
  const second = await start({ cwd });
  expect(second.said).toBe('');
  expect(await statusOf(second, { 'x-session-api-key': token })).toBe(200);
});

test('another token is made by a command, and the one before opens nothing from the next start on', async () => {
  const cwd = newFolder();
  const first = await start({ cwd });
  const before = first.key as string;
  await first.stop();
  const { exitCode, stdout } = await launch({ cwd, args: ['token'] });
  expect(exitCode).toBe(0);
  const [, token = ''] = /^Token ([\w-]{43})$/m.exec(stdout) ?? [];
  const second = await start({ cwd });
  expect(await statusOf(second, { 'x-session-api-key': token })).toBe(200);
  expect(await statusOf(second, { 'x-session-api-key': before })).toBe(401);
});

test('the link gives a browser a cookie once, and leads to a page without the ticket', async () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, 'pages'));
  writeFileSync(join(cwd, 'pages', 'index.html'), 'a page');
  const server = await start({ cwd, env: { OH_STATIC_FILES_PATH: 'pages' } });
  const [, link = ''] = /^Open (\S+)$/m.exec(server.said) ?? [];
  const answer = await fetch(link, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
  const search = await fetch(`${server.url}/api/conversations/search`, { headers: { cookie } });
  expect(search.status).toBe(200);
  expect(await (await fetch(server.url, { headers: { cookie } })).text()).toBe('a page');
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(401);
});

test('a damaged file of a token ends the start, with what to do', async () => {
  const cwd = newFolder();
  const first = await start({ cwd });
  await first.stop();
  writeFileSync(join(cwd, 'workspace/.openhands/token.json'), '{}');
  const { exitCode, stderr } = await launch({ cwd, env: { LOG_JSON: 'false' } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('npm run server -- token');
});

test('a folder in place of the file of a token is named', async () => {
  const cwd = newFolder();
  const file = join(cwd, 'workspace/.openhands/token.json');
  mkdirSync(file, { recursive: true });
  const { exitCode, stderr } = await launch({ cwd, env: { LOG_JSON: 'false' } });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`the file of the token, ${file}, cannot be read: EISDIR`);
});

test('an address that others reach is refused without a key, and a key does not move the server', async () => {
  const { exitCode, stderr } = await launch({ cwd: newFolder(), args: ['--host', '0.0.0.0'] });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--host: other machines can reach 0.0.0.0, but no key is set');
  const server = await start({ cwd: newFolder(), env: { OH_SESSION_API_KEYS_0: KEY } });
  expect(server.url).toContain('http://127.0.0.1:');
});

test('keys in files open the server and encrypt, and the log has the address of a refused client', async () => {
  const cwd = newFolder();
  const [keys, secrets] = [join(cwd, 'keys'), join(cwd, 'secrets')];
  writeFileSync(keys, `${KEY}\n`);
  writeFileSync(secrets, `${SECRET}\n`);
  const args = ['--session-keys-file', keys, '--secret-key-file', secrets];
  const server = await start({ cwd, args, env: { OH_SESSION_API_KEYS_FILE: keys } });
  expect(await statusOf(server, { 'x-session-api-key': KEY })).toBe(200);
  expect(await statusOf(server, { 'x-session-api-key': 'wrong' })).toBe(401);
  const refused = await eventually(() => server.lines.find(({ status }) => status === 401));
  expect(refused).toMatchObject({ address: '127.0.0.1' });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/sockets/bash-events?session_api_key=wrong`);
  await new Promise((resolve) => socket.addEventListener('error', resolve));
  expect(await server.logged('socket refused')).toMatchObject({ address: '127.0.0.1', path: '/sockets/bash-events' });
});

test('the secret key is no session key and no token, and after a change old ciphertext is still read', async () => {
  const cwd = newFolder();
  const env = { OH_SESSION_API_KEYS_0: KEY };
  const stored = async (server: ServerProcess): Promise<unknown> =>
    (await server.call('GET', '/api/settings/secrets/DEPLOY', undefined, { 'x-session-api-key': KEY })).body;
  const first = await start({ cwd, env });
  await first.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: 'value-canary-42' });
  await first.stop();
  const folder = join(cwd, 'workspace/.openhands');
  const kept = readFileSync(join(folder, 'secret.key'), 'utf8').trim();
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const tokens = files.flatMap((text) => text.match(/gAAAAA[\w-]+={0,2}/g) ?? []);
  expect(tokens.length).toBeGreaterThan(0);
  for (const token of tokens) expect(fernetCipher(KEY).decrypt(token)).toBeUndefined();
  // the new key first, the one before behind it
  const secrets = join(cwd, 'secrets');
  writeFileSync(secrets, `a new secret key\n${kept}\n`);
  rmSync(join(folder, 'secret.key'));
  const second = await start({ cwd, env, args: ['--secret-key-file', secrets] });
  expect(await stored(second)).toBe('value-canary-42');
  await second.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: 'value-canary-43' });
  await second.stop();
  // everything was stored anew: the old key is not needed any more
  writeFileSync(secrets, 'a new secret key\n');
  const third = await start({ cwd, env, args: ['--secret-key-file', secrets] });
  expect(await stored(third)).toBe('value-canary-43');
});

test('ciphertext that earlier versions made with the session key is still read', async () => {
  const cwd = newFolder();
  const first = await start({ cwd, env: { OH_SESSION_API_KEYS_0: KEY, OH_SECRET_KEY: KEY } });
  await first.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: 'value-canary-44' });
  await first.stop();
  const second = await start({ cwd, env: { OH_SESSION_API_KEYS_0: KEY } });
  const answer = await second.call('GET', '/api/settings/secrets/DEPLOY', undefined, { 'x-session-api-key': KEY });
  expect(answer.body).toBe('value-canary-44');
});

test('a page of another port of this machine may do nothing with the server', async () => {
  const page = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void page.close());
  await new Promise((resolve) => page.once('listening', resolve));
  const origin = `http://localhost:${(page.address() as AddressInfo).port}`;
  const server = await start({ cwd: newFolder() });
  const ask = (method: string, path: string, headers: Record<string, string>): Promise<number> =>
    fetch(server.url + path, { method, headers: { origin, ...headers } }).then(({ status }) => status);
  expect(await ask('GET', '/api/git/changes?path=/tmp', {})).toBe(401);
  expect(await ask('POST', '/api/bash/execute_bash_command', {})).toBe(401);
  expect(
    await fetch(`${server.url}/api/git/changes?path=/tmp`, { headers: { 'sec-fetch-site': 'cross-site' } }),
  ).toMatchObject({ status: 403 });
});
