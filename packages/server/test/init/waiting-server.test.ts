import { once } from 'node:events';
import { request as httpRequest } from 'node:http';

import { systemPlatform } from '@conv/core/platform';
import { routes } from '@conv/openhands/rest';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { DeferredInit, type InitRequest, UnusableInitError } from '../../src/init/deferred-init.ts';
import { waitingServer } from '../../src/waiting-server.ts';
import { startServer } from '../support/test-server.ts';

const KEY = 'the key of the pool';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A server that waits. `begin`: what a request starts; resolves with the key that holds then. */
async function waiting(begin: (request: InitRequest) => Promise<string> = async () => KEY) {
  const init = new DeferredInit({ key: KEY, start: begin });
  const reported: unknown[] = [];
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(waitingServer({ init, report: (error) => void reported.push(error) }));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const call = async (method: string, path: string, body?: unknown, key?: string): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-init-api-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  return { init, url, call, reported };
}

test('a waiting server tells its state without a key, and lives, while all else waits', async () => {
  const { call } = await waiting();
  expect(await call('GET', '/api/init')).toEqual({ status: 200, body: { state: 'dormant', error: null } });
  expect((await call('GET', '/ready')).body).toEqual({ status: 'ready' });
  expect((await call('GET', '/server_info')).body).toMatchObject({ title: 'OpenHands Agent Server' });
  expect((await call('GET', '/api/nothing')).status).toBe(404);
});

const OPEN = new Set(['/alive', '/health', '/ready', '/server_info', '/', '/api/init']);

test('every other route waits with each key, and no failure is reported', async () => {
  const { call, reported } = await waiting();
  const others = routes.filter(({ path }) => !OPEN.has(path));
  const answers = await Promise.all(
    others.map(async ({ method, path }) => {
      const url = path.replaceAll(/\{[^}]+\}/g, 'x');
      return { route: `${method} ${path}`, ...(await call(method, url, method === 'GET' ? undefined : {})) };
    }),
  );
  expect(answers.length).toBeGreaterThan(150);
  expect(answers.filter(({ status }) => status !== 503)).toEqual([]);
  expect(answers[0]?.body).toMatchObject({
    exception: "503: server is in deferred-init state 'dormant'; call POST /api/init first",
  });
  expect(reported).toEqual([]);
});

test('a socket is refused with the same answer', async () => {
  const { url } = await waiting();
  const asked = httpRequest(`${url}/sockets/session/00000000-0000-4000-8000-000000000000`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  }).end();
  const [response] = (await once(asked, 'response')) as [{ readonly statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(503);
});

test('a request configures a waiting server with its own key alone, and once', async () => {
  const seen: InitRequest[] = [];
  const { call } = await waiting(async (request) => {
    seen.push(request);
    return 'the key after that';
  });
  expect(await call('POST', '/api/init', {})).toEqual({ status: 401, body: { detail: 'Unauthorized' } });
  expect((await call('POST', '/api/init', {}, 'another')).status).toBe(401);
  expect(seen).toEqual([]);
  const body = { session_api_keys: ['k'], max_concurrent_runs: 2, web_url: null };
  expect(await call('POST', '/api/init', body, KEY)).toEqual({ status: 200, body: { state: 'ready', error: null } });
  expect(seen).toEqual([{ session_api_keys: ['k'], max_concurrent_runs: 2 }]);
  expect((await call('POST', '/api/init', {}, KEY)).status).toBe(401);
  const again = await call('POST', '/api/init', {}, 'the key after that');
  expect(again).toEqual({ status: 400, body: { detail: 'server already in state: ready' } });
});

test('a server that is starting refuses a second request, and readers see that it starts', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<string>();
  const { promise: begun, resolve: begins } = Promise.withResolvers<void>();
  const { call } = await waiting(() => {
    begins();
    return gate;
  });
  const first = call('POST', '/api/init', {}, KEY);
  await begun;
  expect((await call('GET', '/api/init')).body).toEqual({ state: 'initializing', error: null });
  expect((await call('GET', '/api/conversations/search')).body).toMatchObject({
    exception: "503: server is in deferred-init state 'initializing'; call POST /api/init first",
  });
  expect(await call('POST', '/api/init', {}, KEY)).toEqual({
    status: 400,
    body: { detail: 'server already in state: initializing' },
  });
  open(KEY);
  expect((await first).body).toEqual({ state: 'ready', error: null });
});

test('a server waits again after a failure, says why, and reports the failure', async () => {
  const failures = [new TypeError('the disk is full'), new UnusableInitError('sessionKeys of the request: too short')];
  const { call, reported } = await waiting(async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    return KEY;
  });
  expect(await call('POST', '/api/init', {}, KEY)).toMatchObject({
    status: 500,
    body: { exception: '500: TypeError: the disk is full' },
  });
  expect(reported).toHaveLength(1);
  const reason = { state: 'dormant', error: 'TypeError: the disk is full' };
  expect((await call('GET', '/api/init', undefined, KEY)).body).toEqual(reason);
  const untold = { state: 'dormant', error: expect.stringMatching(/^the last request failed; show/) as string };
  expect((await call('GET', '/api/init')).body).toEqual(untold);
  expect((await call('GET', '/api/init', undefined, 'another key')).body).toEqual(untold);
  expect(await call('POST', '/api/init', {}, KEY)).toEqual({
    status: 422,
    body: { detail: 'sessionKeys of the request: too short' },
  });
  expect((await call('POST', '/api/init', {}, KEY)).body).toEqual({ state: 'ready', error: null });
});

test('a configuration that cannot be used is refused before anything starts', async () => {
  const { call } = await waiting(() => Promise.reject(new Error('it was started')));
  expect(await call('POST', '/api/init', { session_api_keys: ['a', ''] }, KEY)).toEqual({
    status: 422,
    body: { detail: 'session_api_keys cannot contain empty keys' },
  });
  expect((await call('POST', '/api/init', { max_concurrent_runs: 0 }, KEY)).status).toBe(422);
  expect((await call('POST', '/api/init', { member_of_tomorrow: 1 }, KEY)).status).toBe(422);
  expect((await call('GET', '/api/init')).body).toEqual({ state: 'dormant', error: null });
});

test.each(['GET', 'POST'])('an address that guesses the key with %s has to wait', async (method) => {
  const { call } = await waiting();
  const body = method === 'GET' ? undefined : {};
  for (let guess = 0; guess < 20; guess++) await call(method, '/api/init', body, `guess ${guess}`);
  expect((await call('POST', '/api/init', {}, KEY)).status).toBe(429);
});

test('the server that takes its place says that it is ready', async () => {
  const init = new DeferredInit({ key: KEY, start: async () => KEY });
  await init.initialize({});
  const server = await startServer({ deferredInit: init });
  expect((await server.call('GET', '/api/init')).body).toEqual({ state: 'ready', error: null });
  expect((await server.call('POST', '/api/init', {})).status).toBe(401);
  const asked = await server.call('POST', '/api/init', {}, { 'x-init-api-key': KEY });
  expect(asked).toMatchObject({ status: 400, body: { detail: 'server already in state: ready' } });
});

test('wrong options are named', () => {
  const start = async (): Promise<string> => KEY;
  expect(() => new DeferredInit({ key: ' ', start })).toThrow(/DeferredInit: key: expected a key/);
  expect(() => new DeferredInit({ key: KEY, start, mask: '***' } as never)).toThrow(
    /DeferredInit: mask: expected a fun/,
  );
  const init = new DeferredInit({ key: KEY, start });
  const report = (): void => {};
  expect(() => waitingServer({ init, report, keys: [] } as never)).toThrow(/keys/);
  expect(() => waitingServer({ init: { status: init.status }, report } as never)).toThrow(/expected a DeferredInit/);
  expect(() => waitingServer({ init, report, platform: systemPlatform })).not.toThrow();
});
