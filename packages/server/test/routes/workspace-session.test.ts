import { systemPlatform } from '@conv/core/platform';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';

import { AccessKeys } from '../../src/auth/access-keys.ts';
import { GuessLimit } from '../../src/auth/guess-limit.ts';
import { addAuthentication } from '../../src/auth/route-auth.ts';
import { serveWorkspaceSession } from '../../src/routes/serve-workspace-session.ts';

const url = '/api/auth/workspace-session';

function server(keys: readonly string[]): FastifyInstance {
  const app = Fastify();
  addAuthentication(app, { keys: new AccessKeys({ sessionKeys: keys }), guesses: new GuessLimit(systemPlatform) });
  serveWorkspaceSession(app);
  app.get('/page', { config: { auth: 'workspace' } }, async () => 'hello');
  return app;
}

test('a key is exchanged for a cookie that opens workspaces, and nothing else is told', async () => {
  const app = server(['a key;1']);
  const answer = await app.inject({ method: 'POST', url, headers: { 'x-session-api-key': 'a key;1' } });
  expect([answer.statusCode, answer.body]).toEqual([204, '']);
  const cookie = String(answer.headers['set-cookie']);
  expect(cookie).toMatch(
    /^oh_workspace_session_key=[\w-]{43}; Max-Age=315360000; Path=\/api\/conversations; HttpOnly; Secure; SameSite=none; Partitioned$/,
  );
  const value = /=([^;]+)/.exec(cookie)?.[1] as string;
  const asKey = await app.inject({ url: '/page', headers: { 'x-session-api-key': value } });
  expect(asKey.statusCode).toBe(401);
  const page = await app.inject({ url: '/page', headers: { cookie: cookie.split(';')[0] as string } });
  expect(page.statusCode).toBe(200);
});

test('a request without a key gets no cookie, and a cookie makes no other cookie', async () => {
  const app = server(['key']);
  const asked = [{}, { 'x-session-api-key': 'wrong' }, { cookie: 'oh_workspace_session_key=key' }];
  for (const headers of asked) {
    const answer = await app.inject({ method: 'POST', url, headers });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([401, undefined]);
  }
  const open = await server([]).inject({ method: 'POST', url });
  expect([open.statusCode, open.headers['set-cookie']]).toEqual([204, undefined]);
});

test('the cookie is taken back', async () => {
  const answer = await server(['key']).inject({ method: 'DELETE', url, headers: { 'x-session-api-key': 'key' } });
  expect(answer.statusCode).toBe(204);
  expect(String(answer.headers['set-cookie'])).toMatch(
    /^oh_workspace_session_key=; Max-Age=0; Path=\/api\/conversations;/,
  );
});
