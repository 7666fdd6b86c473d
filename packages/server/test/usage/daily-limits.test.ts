import type { JsonObject } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { MemoryRegistry, RegistryError, type Registry } from '@conv/store-kit/registry';
import { alter } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { DailyLimits, Principal } from '../../src/auth/principal.ts';
import type { HostedConversation } from '../../src/hosting/hosted-conversation.ts';
import { message } from '../support/conversation-calls.ts';
import {
  newConversation,
  startServer,
  until,
  type Answer,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';
import { echoTool, waitingTool } from '../support/waiting-tool.ts';

const DAY = 86_400_000;

/** Cost of each call of the scripted model. */
const CALL = 0.001;

interface Counted extends TestServerOptions {
  readonly daily: DailyLimits;
  readonly registry?: Registry;
}

/** A platform whose clock begins at noon, because a day that ends during a test begins with nothing used. `ahead` moves it. */
function fromNoon(ahead: () => number = () => 0): Platform {
  const difference = Date.UTC(2030, 0, 1, 12) - systemPlatform.now();
  return { ...systemPlatform, now: () => systemPlatform.now() + difference + ahead() };
}

/** A server on which the key `ann` has daily limits, and the key `free` has none. */
function countingServer({
  daily,
  registry = new MemoryRegistry(),
  platform = fromNoon(),
  ...options
}: Counted): Promise<TestServer> {
  const principal = (key: string): Principal | undefined => {
    if (key !== 'ann' && key !== 'free') return undefined;
    return { name: key, scopes: ['read', 'run', 'approve', 'admin'], ...(key === 'ann' ? { daily } : {}) };
  };
  return startServer({ principal, usage: { registry, reserve: CALL }, platform, ...options });
}

function by(key: string): Record<string, string> {
  return { 'x-session-api-key': key };
}

async function start(server: TestServer, more: JsonObject = {}, key = 'ann'): Promise<Answer<JsonObject>> {
  return server.call('POST', '/api/conversations', { ...newConversation(server.folder), ...more }, by(key));
}

async function make(server: TestServer, more: JsonObject = {}, key = 'ann'): Promise<string> {
  const { status, body } = await start(server, more, key);
  expect(status).toBe(201);
  return `/api/conversations/${body['id'] as string}`;
}

/** Resolves with the status of a conversation when no run is on. */
async function restsAs(server: TestServer, path: string): Promise<string> {
  return until(async () => {
    const { body } = await server.call('GET', path, undefined, by('ann'));
    const status = body['execution_status'] as string;
    return !['idle', 'running'].includes(status) && status;
  });
}

async function kinds(server: TestServer, path: string): Promise<readonly JsonObject[]> {
  const { body } = await server.call<{ items: JsonObject[] }>('GET', `${path}/events/search`, undefined, by('ann'));
  return body.items;
}

/** Resolves with what the key has used today. */
async function used(server: TestServer, key = 'ann'): Promise<unknown> {
  return (await server.call('GET', '/api/auth/session', undefined, by(key))).body['daily'];
}

const SAY = { turns: Array.from({ length: 20 }, () => ({ text: 'done' })) };

test("a run beyond a key's daily runs is refused with the limit, the use and the time until tomorrow", async () => {
  const server = await countingServer({ daily: { runs: 2 }, ...SAY });
  const path = await make(server, { initial_message: message('one') });
  await restsAs(server, path);
  expect((await server.call('POST', `${path}/events`, message('two', { run: true }), by('ann'))).status).toBe(200);
  await restsAs(server, path);
  const before = await kinds(server, path);
  const { status, body, headers } = await server.call(
    'POST',
    `${path}/events`,
    message('three', { run: true }),
    by('ann'),
  );
  expect([status, body['detail']]).toMatchObject([429, { code: 'DailyRunsReached', limit: 2, used: 2 }]);
  const wait = Number(headers.get('retry-after'));
  expect(wait > 0 && wait <= DAY / 1000).toBe(true);
  expect(await kinds(server, path)).toEqual(before);
  const ran = await server.call('POST', `${path}/run`, {}, by('ann'));
  expect([ran.status, ran.body['detail']]).toMatchObject([429, { code: 'DailyRunsReached' }]);
  expect((await start(server, { initial_message: message('one') })).status).toBe(429);
  // nothing but a run is limited, and no other key is
  expect((await server.call('POST', `${path}/events`, message('kept'), by('ann'))).status).toBe(200);
  expect((await server.call('POST', `${path}/run`, {}, by('free'))).status).toBe(200);
});

test('a key tells what it has used, and a key without limits tells nothing', async () => {
  const server = await countingServer({ daily: { runs: 5, cost: 1 }, ...SAY });
  expect(await used(server)).toMatchObject({ runs: { limit: 5, used: 0 }, cost: { limit: 1, used: 0 } });
  await restsAs(server, await make(server, { initial_message: message('one') }));
  await until(async () => {
    const now = (await used(server)) as { readonly cost: { readonly used: number } };
    return now.cost.used === CALL;
  });
  expect(await used(server)).toMatchObject({ runs: { limit: 5, used: 1 } });
  expect(await used(server, 'free')).toBeNull();
});

test('a run that is refused because its message is answered is neither counted nor recorded', async () => {
  const server = await countingServer({ daily: { runs: 1 }, ...SAY });
  const path = await make(server, { initial_message: message('one') });
  await restsAs(server, path);
  const [asked] = (await kinds(server, path)).filter(({ kind }) => kind === 'MessageEvent');
  const { conversation } = server.host.loaded(path.split('/').at(-1)!) as HostedConversation;
  const { end } = conversation.state;
  for (const key of ['ann', 'free']) {
    const { status, body } = await server.call('POST', `${path}/run`, { answers: asked?.['id'] }, by(key));
    expect([status, body['detail']]).toEqual([409, expect.stringContaining('something came after the message')]);
  }
  expect(conversation.state.end).toEqual(end);
  expect(conversation.state.fields.extra.meta['conv_run']).toMatchObject({ by: 'ann' });
});

test('the next day begins with nothing used, and old records are removed', async () => {
  let ahead = 0;
  const registry = new MemoryRegistry();
  const server = await countingServer({ daily: { runs: 1 }, registry, platform: fromNoon(() => ahead), ...SAY });
  const path = await make(server, { initial_message: message('one') });
  await restsAs(server, path);
  const run = async (): Promise<number> =>
    (await server.call('POST', `${path}/events`, message('more', { run: true }), by('ann'))).status;
  expect(await run()).toBe(429);
  for (ahead = DAY; ahead <= 3 * DAY; ahead += DAY) {
    expect(await run()).toBe(200);
    await restsAs(server, path);
    expect(await run()).toBe(429);
  }
  const left = await until(async () => {
    const marks = await registry.marks('usage');
    return marks.size <= 2 && marks;
  });
  expect([...left.keys()].every((name) => name.startsWith('ann/'))).toBe(true);
});

test('a message over a socket beyond the limit is answered with its name, and is not stored', async () => {
  const server = await countingServer({ daily: { runs: 1 }, ...SAY });
  const path = await make(server, { initial_message: message('one') });
  await restsAs(server, path);
  const before = await kinds(server, path);
  const url = `${server.url.replace('http', 'ws')}/sockets/session/${path.split('/').at(-1)}?session_api_key=ann`;
  const socket = await new TestSocket(url).opened();
  socket.socket.send(JSON.stringify({ type: 'message', ...message('two') }));
  await socket.until((frames) => frames.some(({ code }) => code === 'DailyRunsReached'));
  socket.terminate();
  expect(await kinds(server, path)).toEqual(before);
});

test.each([
  ['refuses', (): Promise<never> => Promise.reject(new RegistryError('UNAVAILABLE', 'away'))],
  ['does not answer', (): Promise<never> => new Promise<never>(() => {})],
])(
  'P7: a message with a run is stored and answered while the registry %s, and its run is not started',
  async (_, away) => {
    const registry = new MemoryRegistry();
    let isAway = false;
    const failing = alter(registry, { get: (...place) => (isAway ? away() : registry.get(...place)) });
    // no wait for the registry is long here
    const setTimer: Platform['setTimer'] = (time, ...more) => systemPlatform.setTimer(Math.min(time, 20), ...more);
    const platform = { ...systemPlatform, setTimer };
    const server = await countingServer({ daily: { runs: 5 }, registry: failing, platform, ...SAY });
    const path = await make(server);
    isAway = true;
    const sent = await server.call('POST', `${path}/events`, message('go', { run: true }), by('ann'));
    expect(sent.status).toBe(200);
    expect((await kinds(server, path)).at(-1)).toMatchObject({ kind: 'MessageEvent' });
    expect((await server.call('GET', path, undefined, by('ann'))).body['execution_status']).toBe('idle');
  },
);

test('a message that an active run answers costs no run', async () => {
  const wait = waitingTool();
  const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }, { text: 'done' }];
  const server = await countingServer({ daily: { runs: 2 }, turns, tools: [wait.tool] });
  const path = await make(server, { initial_message: message('one') });
  await wait.begun;
  for (const text of ['two', 'three', 'four'])
    expect((await server.call('POST', `${path}/events`, message(text, { run: true }), by('ann'))).status).toBe(200);
  expect((await server.call('POST', `${path}/run`, {}, by('ann'))).status).toBe(409);
  wait.release();
  await restsAs(server, path);
  expect(await used(server)).toMatchObject({ runs: { used: 1 } });
});

test('P10: actions are not approved by a run that its key may not start any more', async () => {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await countingServer({ daily: { runs: 1 }, turns, tools: [echoTool] });
  const path = await make(server, {
    initial_message: message('go'),
    confirmation_policy: { kind: 'AlwaysConfirm' },
  });
  expect(await restsAs(server, path)).toBe('waiting_for_confirmation');
  for (const [route, body] of [
    ['run', {}],
    ['events/respond_to_confirmation', { accept: true }],
  ] as const)
    expect((await server.call('POST', `${path}/${route}`, body, by('ann'))).status).toBe(429);
  const { body } = await server.call<JsonObject>('GET', `${path}/state`, undefined, by('ann'));
  expect((body['state'] as JsonObject)['calls']).toEqual({});
});

test("a run that spends a key's daily money ends with a named error, and goes on the next day", async () => {
  let ahead = 0;
  const turns = [
    ...Array.from({ length: 4 }, () => ({ calls: [{ name: 'echo', arguments: { text: 'hi' } }] })),
    { text: 'done' },
  ];
  const daily = { cost: 2.5 * CALL };
  const server = await countingServer({ daily, platform: fromNoon(() => ahead), turns, tools: [echoTool] });
  const path = await make(server, { initial_message: message('go') });
  expect(await restsAs(server, path)).toBe('error');
  const events = await kinds(server, path);
  expect(events.filter(({ kind }) => kind === 'ObservationEvent')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ kind: 'ConversationErrorEvent', code: 'DailyCostReached' });
  const refused = await server.call('POST', `${path}/run`, {}, by('ann'));
  expect([refused.status, refused.body['detail']]).toMatchObject([429, { code: 'DailyCostReached' }]);
  ahead = DAY;
  expect((await server.call('POST', `${path}/run`, {}, by('ann'))).status).toBe(200);
  await until(async () => (await kinds(server, path)).filter(({ kind }) => kind === 'ObservationEvent').length === 4);
});

test('a question beside the run is paid by the key that asks', async () => {
  const server = await countingServer({ daily: { cost: 1.5 * CALL }, ...SAY });
  const path = await make(server, { initial_message: message('go') }, 'free');
  await restsAs(server, path);
  const ask = async (key: string): Promise<number> =>
    (await server.call('POST', `${path}/ask_agent`, { question: 'why?' }, by(key))).status;
  expect(await ask('ann')).toBe(200);
  expect(await ask('ann')).toBe(429);
  expect(await ask('free')).toBe(200);
});

test('a key with daily limits starts no run on a server that counts nothing', async () => {
  const principal = (): Principal => ({ name: 'ann', scopes: ['read', 'run'], daily: { runs: 1 } });
  const server = await startServer({ principal, turns: [{ text: 'done' }] });
  expect((await start(server, { initial_message: message('go') })).status).toBe(500);
  expect(server.reported.map(({ error }) => String(error))).toEqual([expect.stringContaining('usage')]);
});

test('a call is approved with other arguments on a server that counts uses', async () => {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await countingServer({ daily: { runs: 5 }, turns, tools: [echoTool] });
  const asks = { confirmation_policy: { kind: 'AlwaysConfirm' }, initial_message: message('go') };
  const path = await make(server, asks);
  expect(await restsAs(server, path)).toBe('waiting_for_confirmation');
  const [{ id } = { id: '' }] = (await kinds(server, path)).filter(({ kind }) => kind === 'ActionEvent');
  const edits = { [id as string]: { text: 'edited' } };
  expect(await server.call('POST', `${path}/approve`, { edits }, by('ann'))).toMatchObject({ status: 200 });
  await server.call('POST', `${path}/run`, {}, by('ann'));
  expect(await until(async () => (await restsAs(server, path)) === 'finished')).toBe(true);
  const results = (await kinds(server, path)).filter(({ kind }) => kind === 'ObservationEvent');
  expect(JSON.stringify(results)).toContain('edited');
});
