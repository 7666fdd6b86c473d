import { systemPlatform } from '@conv/core/platform';
import type { RouteAuth } from '@conv/openhands/rest';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';

import { AccessKeys } from '../../src/auth/access-keys.ts';
import { cookieOf } from '../../src/auth/key-digests.ts';
import { APPROVER } from '../../src/auth/principal.ts';
import { GuessLimit } from '../../src/auth/guess-limit.ts';
import { addAuthentication } from '../../src/auth/route-auth.ts';

const KINDS: readonly RouteAuth[] = ['session', 'workspace', 'stream', 'bearer', 'none'];

/** Returns a server with a route of each kind, and a route without `auth`. */
function server(sessionKeys: readonly string[]): FastifyInstance {
  const app = Fastify();
  addAuthentication(app, { keys: new AccessKeys({ sessionKeys }), guesses: new GuessLimit(systemPlatform) });
  for (const auth of KINDS) app.get(`/${auth}`, { config: { auth } }, async () => ({ ok: true }));
  app.get('/silent', async () => ({ ok: true }));
  return app;
}

async function allowed(app: FastifyInstance, headers: Record<string, string>): Promise<readonly string[]> {
  const paths = [...KINDS, 'silent'];
  const answers = await Promise.all(paths.map((path) => app.inject({ url: `/${path}`, headers })));
  const refusals = answers.filter(({ statusCode }) => statusCode !== 200);
  expect(refusals.map(({ statusCode, body }) => [statusCode, body])).toEqual(
    refusals.map(() => [401, '{"detail":"Unauthorized"}']),
  );
  return paths.filter((_, index) => answers[index]?.statusCode === 200);
}

test('each kind of route is opened by its own way to show a key, and by no other', async () => {
  const app = server(['key-1', 'key-2']);
  const cookie = 'oh_workspace_session_key';
  expect(await allowed(app, {})).toEqual(['none']);
  expect(await allowed(app, { 'x-session-api-key': 'key-2' })).toEqual([
    'session',
    'workspace',
    'stream',
    'none',
    'silent',
  ]);
  expect(await allowed(app, { cookie: `a=b; ${cookie}=${cookieOf('key-1', 'workspace')}; c=d` })).toEqual([
    'workspace',
    'none',
  ]);
  expect(await allowed(app, { authorization: 'Bearer key-1' })).toEqual(['bearer', 'none']);
  expect(await allowed(app, { cookie: `conv_session_80=${cookieOf('key-1', 'session')}`, host: 'a:80' })).toEqual([
    'session',
    'workspace',
    'stream',
    'none',
    'silent',
  ]);
});

test('a wrong key gets nowhere', async () => {
  const app = server(['key-1']);
  for (const key of ['', 'key', 'key-11', 'KEY-1', ' key-1 x', 'key-1,key-1'])
    expect(
      await allowed(app, {
        'x-session-api-key': key,
        authorization: `Bearer ${key}`,
        cookie: `oh_workspace_session_key=${key}`,
      }),
    ).toEqual(['none']);
});

test('everything is open without keys, and an unknown path is 404 for every caller', async () => {
  expect(await allowed(server([]), {})).toEqual([...KINDS, 'silent']);
  expect((await server(['key-1']).inject('/nowhere')).statusCode).toBe(404);
});

test('an empty key is no key', async () => {
  expect(() => new AccessKeys({ sessionKeys: ['good', ''] })).toThrow(TypeError);
  const keys = new AccessKeys({ sessionKeys: ['good'] });
  expect(await Promise.all([keys.of(undefined), keys.of(''), keys.of('good')])).toEqual([
    undefined,
    undefined,
    APPROVER,
  ]);
});
