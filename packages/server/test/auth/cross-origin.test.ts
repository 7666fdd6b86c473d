import { systemPlatform } from '@conv/core/platform';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';

import { AccessKeys } from '../../src/auth/access-keys.ts';
import { addCrossOrigin, type CorsOptions } from '../../src/auth/cross-origin.ts';
import { GuessLimit } from '../../src/auth/guess-limit.ts';
import { addAuthentication } from '../../src/auth/route-auth.ts';

function server(options?: CorsOptions, keys: readonly string[] = ['key']): FastifyInstance {
  const app = Fastify();
  const accessKeys = new AccessKeys({ sessionKeys: keys });
  addCrossOrigin(app, options, accessKeys);
  addAuthentication(app, { keys: accessKeys, guesses: new GuessLimit(systemPlatform) });
  app.get('/api/thing', async () => ({ ok: true }));
  app.post('/api/auth/workspace-session', async () => ({ ok: true }));
  return app;
}

const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-session-api-key' };

async function isAllowed(app: FastifyInstance, origin: string, url = '/api/thing'): Promise<boolean> {
  const asked = await app.inject({ method: 'OPTIONS', url, headers: { origin, ...preflight } });
  const called = await app.inject({ url, headers: { origin } });
  const echoed = called.headers['access-control-allow-origin'] === origin;
  expect(echoed).toBe(asked.statusCode === 200);
  return echoed;
}

async function allowedOf(app: FastifyInstance, origins: readonly string[]): Promise<readonly string[]> {
  const allowed = await Promise.all(origins.map((origin) => isAllowed(app, origin)));
  return origins.filter((_, index) => allowed[index]);
}

test('pages of this machine may call on any port, with cookies, and are told so with refusals too', async () => {
  const app = server();
  const origin = 'http://localhost:3001';
  const answer = await app.inject({ url: '/api/thing', headers: { origin } });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    vary: 'Origin',
  });
  for (const local of ['https://localhost', 'http://127.0.0.1:8000']) expect(await isAllowed(app, local)).toBe(true);
});

test('a preflight is answered without a key, and allows every method and the headers that were asked for', async () => {
  const answer = await server().inject({
    method: 'OPTIONS',
    url: '/api/thing',
    headers: { origin: 'http://localhost', ...preflight },
  });
  expect([answer.statusCode, answer.body]).toEqual([200, 'OK']);
  expect(answer.headers).toMatchObject({
    'access-control-allow-methods': 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT',
    'access-control-allow-headers': 'x-session-api-key',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '600',
  });
});

test('a preflight of another page is refused with 400, and its calls get no header that would let it read', async () => {
  const app = server();
  const headers = { origin: 'https://evil.example', ...preflight };
  const answer = await app.inject({ method: 'OPTIONS', url: '/api/thing', headers });
  expect([answer.statusCode, answer.body]).toEqual([400, 'Disallowed CORS origin']);
  const refused = [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'file://localhost',
    'localhost',
    'http://127.0.0.1/path',
  ];
  expect(await allowedOf(app, refused)).toEqual([]);
});

test('further origins are named whole, by a pattern for the whole of them, or by their host', async () => {
  const app = server({
    origins: ['https://app.example/', 'http://other.example:81'],
    originPattern: /https:\/\/\w+\.team\.example/,
    hosts: ['Docker.internal'],
  });
  const allowed = [
    'https://app.example',
    'http://other.example:81',
    'https://a.team.example',
    'http://docker.internal:9999',
    'http://localhost:1',
  ];
  expect(await allowedOf(app, allowed)).toEqual(allowed);
  const refused = [
    'http://app.example',
    'http://other.example',
    'https://a.team.example.evil',
    'https://docker.internal.evil',
  ];
  expect(await allowedOf(app, refused)).toEqual([]);
  expect(await isAllowed(server({ origins: ['*'] }), 'https://anybody.example')).toBe(true);
});

test('a page may use its cookie wherever it is embedded', async () => {
  const app = server();
  const origin = 'https://anywhere.example';
  for (const url of [
    '/api/auth/workspace-session',
    '/api/conversations/1/workspace',
    '/api/conversations/1/workspace/a/b',
  ])
    expect(await isAllowed(app, origin, url)).toBe(true);
  expect(await isAllowed(app, origin, '/api/conversations/1/workspaces')).toBe(false);
  expect(await isAllowed(app, 'null', '/api/auth/workspace-session')).toBe(false);
});

test('a request that is no preflight is answered as usual', async () => {
  const answer = await server().inject({ url: '/api/thing', headers: { 'x-session-api-key': 'key' } });
  expect([answer.statusCode, answer.headers['vary'], answer.headers['access-control-allow-origin']]).toEqual([
    200,
    undefined,
    undefined,
  ]);
});

test('a server without keys does nothing for pages of other origins, and everything for programs', async () => {
  const app = server({ origins: ['https://app.example'] }, []);
  app.post('/api/run', async () => ({ ok: true }));
  const ask = async (origin?: string): Promise<readonly number[]> => {
    const headers = { host: 'localhost:8000', ...(origin === undefined ? {} : { origin }) };
    const answers = [
      await app.inject({ method: 'POST', url: '/api/run', headers }),
      await app.inject({ url: '/api/thing', headers }),
      await app.inject({ method: 'POST', url: '/api/auth/workspace-session', headers }),
    ];
    return answers.map(({ statusCode }) => statusCode);
  };
  for (const good of [undefined, 'http://localhost:8000', 'https://app.example'])
    expect(await ask(good)).toEqual([200, 200, 200]);
  for (const bad of ['http://localhost:3001', 'http://127.0.0.1:8000', 'https://evil.example', 'null'])
    expect(await ask(bad)).toEqual([403, 403, 403]);
});

test('a request that another site causes without an Origin is refused, with keys and without', async () => {
  for (const keys of [[], ['key']]) {
    const app = server({}, keys);
    app.get('/docs', { config: { auth: 'none' } }, async () => 'docs');
    const ask = async (url: string, site: string): Promise<number> =>
      (await app.inject({ url, headers: { 'sec-fetch-site': site, 'x-session-api-key': 'key' } })).statusCode;
    expect(await ask('/api/thing', 'cross-site')).toBe(403);
    expect(await ask('/api/thing?path=/', 'same-site')).toBe(403);
    expect(await ask('/api/thing', 'same-origin')).toBe(200);
    expect(await ask('/api/thing', 'none')).toBe(200);
    expect(await ask('/docs', 'cross-site')).toBe(200);
  }
});

test('a path whose letters are written as codes is guarded like the same path in letters', async () => {
  const app = server({}, []);
  app.post('/api/run', async () => ({ ok: true }));
  for (const url of ['/api/run', '/%61pi/run', '/ap%69/run?x=1', '/%61%70%69/%72un']) {
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await app.inject({ method: 'POST', url, headers: { host: 'localhost:8000', ...headers } })).statusCode;
    expect([url, await ask({})]).toEqual([url, 200]);
    expect([url, await ask({ origin: 'https://evil.example' })]).toEqual([url, 403]);
    expect([url, await ask({ 'sec-fetch-site': 'cross-site' })]).toEqual([url, 403]);
  }
});

test('a server without keys does not answer under foreign host names; with keys the key decides', async () => {
  const answerTo = async (app: FastifyInstance, host: string): Promise<number> =>
    (await app.inject({ url: '/api/thing', headers: { host } })).statusCode;
  const statuses = async (app: FastifyInstance, hosts: readonly string[]): Promise<readonly number[]> =>
    Promise.all(hosts.map((host) => answerTo(app, host)));
  const ours = ['localhost:8000', '127.0.0.1:8000', '[::1]:8000', '192.168.1.5', 'a.localhost'];
  expect(await statuses(server({}, []), ours)).toEqual(ours.map(() => 200));
  const foreign = [
    'agent-server:8000',
    'evil.example',
    'evil.example:8000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a b',
  ];
  expect(await statuses(server({}, []), foreign)).toEqual(foreign.map(() => 403));
  expect(await statuses(server(), ['evil.example'])).toEqual([401]);
  const named = server({ origins: ['https://agents.example'], hosts: ['docker.internal'] }, []);
  expect(await statuses(named, ['agents.example', 'docker.internal:1', 'other.example'])).toEqual([200, 200, 403]);
});
