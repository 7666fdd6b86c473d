import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';

import { afterAll, expect, onTestFinished, test } from 'vitest';

import { startAgentServer } from '../src/agent-server.ts';
import type { RunningServer } from '../src/running-server.ts';
import { readConfiguration } from '../src/configuration/read-configuration.ts';
import { LivingVaults } from '../src/living-vaults.ts';
import { createLog } from '../src/log.ts';
import { startWaiting } from '../src/waiting.ts';
import { newFolder, removeFolders } from './new-folder.ts';
import { type Answer, callWith } from './server-process.ts';

const POOL = 'the-secret-of-the-pool';
const SESSION = 'the-key-of-the-session';

interface Waiting {
  readonly server: RunningServer;
  readonly folder: string;
  /** Asks with the key of the pool. */
  readonly init: (body: object, key?: string) => Promise<Answer<unknown>>;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer<unknown>>;
}

/** A server that waits for its configuration, closed after the test. `start`: what its request starts. */
async function waiting(
  variables: Readonly<Record<string, string>> = {},
  start: typeof startAgentServer = startAgentServer,
): Promise<Waiting> {
  const folder = newFolder();
  const environment = {
    OH_DEFERRED_INIT: 'true',
    OH_SECRET_KEY: POOL,
    OH_CONVERSATIONS_PATH: join(folder, 'pool', 'conversations'),
    OH_WORKSPACE_PATH: join(folder, 'project'),
    CONV_USER_FOLDER: folder,
    CONV_MARKETPLACE: 'off',
    ...variables,
  };
  const configuration = await readConfiguration({ options: { port: 0, logLevel: 'silent' }, environment });
  const vaults = new LivingVaults();
  const server = await startWaiting(configuration, { log: createLog(configuration, vaults.mask), vaults }, start);
  onTestFinished(() => server.close());
  return {
    server,
    folder,
    init: (body, key = POOL) =>
      callWith(SESSION, `${server.url}/api/init`, { method: 'POST', body, headers: { 'x-init-api-key': key } }),
    call: (method, path, body) => callWith(SESSION, server.url + path, { method, body }),
  };
}

afterAll(removeFolders);

const agent = { kind: 'Agent', llm: { model: 'openai/none', api_key: 'sk-none', usage_id: 'agent' }, tools: [] };

function conversationIn(working_dir: string): object {
  return { agent, workspace: { kind: 'LocalWorkspace', working_dir } };
}

test('a waiting server stores nothing, then serves at its port, in the conversations_path of the request', async () => {
  const { server, folder, init, call } = await waiting();
  expect((await call('GET', '/api/conversations/search')).status).toBe(503);
  expect(existsSync(join(folder, 'pool'))).toBe(false);
  const conversations_path = join(folder, 'user', 'conversations');
  const request = { session_api_keys: [SESSION], conversations_path, max_concurrent_runs: 3 };
  expect(await init(request)).toEqual({ status: 200, body: { state: 'ready', error: null } });
  expect((await call('GET', '/api/init')).body).toEqual({ state: 'ready', error: null });
  const made = await call('POST', '/api/conversations', conversationIn(join(folder, 'project')));
  expect(made.status).toBe(201);
  const { id } = made.body as { readonly id: string };
  expect(existsSync(join(conversations_path, id.replaceAll('-', '')))).toBe(true);
  const stranger = await callWith('another-key-of-a-session', `${server.url}/api/conversations/search`, {
    method: 'GET',
  });
  expect(stranger.status).toBe(401);
  expect((await init({})).status).toBe(400);
});

test('a socket is refused until the server is configured, and opens then', async () => {
  const { server, init, call, folder } = await waiting();
  const url = server.url.replace('http', 'ws');
  await once(new WebSocket(`${url}/sockets/session/00000000-0000-4000-8000-000000000000`), 'error');
  await init({ session_api_keys: [SESSION] });
  const { body } = await call('POST', '/api/conversations', conversationIn(folder));
  const { id } = body as { readonly id: string };
  const socket = new WebSocket(`${url}/sockets/events/${id}?session_api_key=${SESSION}`);
  await once(socket, 'open');
  const [closed] = await Promise.all([once(socket, 'close'), server.close()]);
  expect(closed[0]).toMatchObject({ code: 1012 });
});

test('conversation_worktree_root, allow_cors_origins and webhooks of the request hold', async () => {
  const heard: string[] = [];
  const receiver = createServer(({ url = '' }, response) => {
    heard.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const { server, init, call, folder } = await waiting({ CONV_WEBHOOK_HOSTS: host });
  const repository = join(folder, 'repository');
  execFileSync('git', ['init', '-q', repository]);
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  execFileSync('git', [...author, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: repository });
  const request = {
    session_api_keys: [SESSION],
    conversation_worktree_root: join(folder, 'trees'),
    allow_cors_origins: ['https://app.example.com'],
    webhooks: [{ base_url: `http://${host}`, event_buffer_size: 1, flush_delay: 0.1 }],
  };
  expect((await init(request)).status).toBe(200);
  const made = await call('POST', '/api/conversations', { ...conversationIn(repository), worktree: true });
  expect(made.status).toBe(201);
  expect(existsSync(join(folder, 'trees'))).toBe(true);
  const { id } = made.body as { readonly id: string };
  const message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
  expect((await call('POST', `/api/conversations/${id}/events`, message)).status).toBe(200);
  const asked = await fetch(`${server.url}/alive`, { headers: { origin: 'https://app.example.com' } });
  expect(asked.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(0);
});

test('the secret_key of a request encrypts, and previous_secret_keys decrypt what was stored before', async () => {
  const [first, second] = ['the-first-secret-of-this-user', 'the-second-secret-of-this-user'];
  const folder = newFolder();
  const conversations_path = join(folder, 'conversations');
  const shared = { session_api_keys: [SESSION], conversations_path };
  const before = await waiting();
  expect((await before.init({ ...shared, secret_key: first })).status).toBe(200);
  expect((await before.init({}, POOL)).status).toBe(401);
  expect((await before.init({}, first)).status).toBe(400);
  const kept = { name: 'TOKEN', value: 'a-secret-of-the-user' };
  expect((await before.call('PUT', '/api/settings/secrets', kept)).status).toBe(200);
  await before.server.close();
  const after = await waiting();
  const changed = { ...shared, secret_key: second, previous_secret_keys: [first] };
  expect((await after.init(changed)).status).toBe(200);
  expect(await after.call('GET', '/api/settings/secrets/TOKEN')).toEqual({ status: 200, body: kept.value });
});

test('a configuration that its sender can mend is named, and another one works', async () => {
  const { init, call, folder } = await waiting();
  expect(await init({ session_api_keys: ['short'] })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('sessionKeys of the request (0): a key must have') as string },
  });
  expect(await init({ session_api_keys: [SESSION], webhooks: [{ base_url: 7 }] })).toMatchObject({ status: 422 });
  const webhooks = [{ base_url: 'ftp://127.0.0.1' }];
  expect(await init({ session_api_keys: [SESSION], webhooks, env: { CONV_TEST_REFUSED: 'x' } })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('webhooks: 0: url: expected an http or https URL') as string },
  });
  expect(process.env).not.toHaveProperty('CONV_TEST_REFUSED');
  expect(await init({ session_api_keys: [SESSION], secret_key: 'weak' })).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('secret_key: it opens POST /api/init: a key must have') as string },
  });
  expect(await init({})).toMatchObject({
    status: 422,
    body: { detail: expect.stringContaining('found none') as string },
  });
  expect((await call('GET', '/api/init')).body).toMatchObject({ state: 'dormant' });
  expect((await init({ session_api_keys: [SESSION] })).status).toBe(200);
  expect(existsSync(join(folder, 'pool', 'conversations'))).toBe(true);
});

test('a server that cannot start waits again without the variables of the request, and starts later', async () => {
  const token = 'a-token-in-a-path';
  const { init, call, folder, server } = await waiting();
  const names = ['CONV_TEST_NEW', 'CONV_TEST_OLD'];
  onTestFinished(() => names.forEach((name) => delete process.env[name]));
  process.env['CONV_TEST_OLD'] = 'before';
  const failed = await init({
    session_api_keys: [SESSION],
    conversations_path: join(folder, token, 'x'.repeat(300)),
    env: { CONV_TEST_NEW: 'x', CONV_TEST_OLD: 'after', CONV_TEST_TOKEN: token },
  });
  expect(failed.status).toBe(500);
  expect(process.env).toMatchObject({ CONV_TEST_OLD: 'before' });
  expect(process.env).not.toHaveProperty('CONV_TEST_NEW');
  expect((await call('GET', '/api/init')).body).toEqual({
    state: 'dormant',
    error: 'the last request failed; show its X-Init-API-Key to read the reason, or look into the log',
  });
  const headers = { 'x-init-api-key': POOL };
  const { body } = await callWith(SESSION, `${server.url}/api/init`, { method: 'GET', headers });
  expect(body).toMatchObject({ state: 'dormant', error: expect.stringContaining(folder) as string });
  expect(JSON.stringify([body, failed.body])).not.toContain(token);
  expect((await call('GET', '/api/conversations/search')).status).toBe(503);
  expect((await init({ session_api_keys: [SESSION] })).status).toBe(200);
  expect((await call('GET', '/api/conversations/search')).status).toBe(200);
});

test('variables in env are those of commands, unless they look like credentials', async () => {
  const { init, call } = await waiting();
  const names = ['CONV_TEST_REGION', 'CONV_TEST_TOKEN'];
  onTestFinished(() => names.forEach((name) => delete process.env[name]));
  await init({
    session_api_keys: [SESSION],
    env: { CONV_TEST_REGION: 'north', CONV_TEST_TOKEN: 'a-token-of-the-user' },
  });
  const { body } = await call('POST', '/api/bash/execute_bash_command', {
    command: 'echo "$CONV_TEST_REGION,$CONV_TEST_TOKEN"',
  });
  expect(body).toMatchObject({ stdout: 'north,\n' });
  expect(process.env['CONV_TEST_TOKEN']).toBe('a-token-of-the-user');
});

/** Sends the head of a request. Resolves when the server has taken it, which then waits for the body. */
async function begun(method: string, url: string, headers: Readonly<Record<string, string>>): Promise<ClientRequest> {
  const sent = request(url, {
    method,
    headers: { 'content-type': 'application/json', expect: '100-continue', ...headers },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  return sent;
}

async function statusAfter(sent: ClientRequest, body: object): Promise<number | undefined> {
  const answered = once(sent, 'response');
  sent.end(JSON.stringify(body));
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('a configuration whose body arrives while the server stops starts nothing', async () => {
  const { server, folder } = await waiting();
  const sent = await begun('POST', `${server.url}/api/init`, {
    'x-init-api-key': POOL,
    'transfer-encoding': 'chunked',
  });
  const closed = server.close();
  expect(await statusAfter(sent, { session_api_keys: [SESSION] })).toBe(500);
  await closed;
  expect(existsSync(join(folder, 'pool'))).toBe(false);
});

test('a server that stops while its configured one starts does not let it take its place', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { server, folder, init } = await waiting({}, async (...parts) => {
    begun.resolve();
    await gate.promise;
    return startAgentServer(...parts);
  });
  const asked = init({ session_api_keys: [SESSION] });
  await begun.promise;
  const closed = server.close();
  gate.resolve();
  expect(await asked).toMatchObject({
    status: 500,
    body: { exception: expect.stringContaining('stopping') as string },
  });
  await closed;
  expect(existsSync(join(folder, 'pool'))).toBe(false);
});

test('a configured server answers the requests in progress before it closes its stores', async () => {
  const { server, init } = await waiting();
  await init({ session_api_keys: [SESSION] });
  const headers = { 'x-session-api-key': SESSION, 'transfer-encoding': 'chunked' };
  const sent = await begun('GET', `${server.url}/api/conversations/search`, headers);
  const closed = server.close();
  const { port } = new URL(server.url);
  const isOpen = async (): Promise<boolean> => {
    const socket = connect(Number(port), '127.0.0.1');
    const opened = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return opened;
  };
  await expect.poll(isOpen).toBe(false);
  expect(await statusAfter(sent, {})).toBe(200);
  await closed;
});

test('events of commands are forgotten after their time', async () => {
  const { init, call } = await waiting({ OH_BASH_EVENTS_RETENTION_SECONDS: '1' });
  await init({ session_api_keys: [SESSION] });
  await call('POST', '/api/bash/execute_bash_command', { command: 'true' });
  await expect
    .poll(async () => (await call('GET', '/api/bash/bash_events/search')).body, { timeout: 10_000 })
    .toMatchObject({ items: [] });
});

test.each([
  [{ OH_SECRET_KEY: '' }, /OH_DEFERRED_INIT: the sender of the configuration shows the secret key, and none is set/],
  [{ OH_SECRET_KEY: 'short' }, /OH_SECRET_KEY: it opens POST \/api\/init: a key must have/],
  [{ CONV_EXECUTOR: 'true' }, /OH_DEFERRED_INIT: an executor has no conversations to configure/],
])('a waiting server with %o does not start', async (variables, error) => {
  await expect(waiting(variables)).rejects.toThrow(error);
});
