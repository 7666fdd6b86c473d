import { expect, test } from 'vitest';

import { keyDigests } from '../../src/auth/access-keys.ts';
import { startServer, type TestServer } from '../support/test-server.ts';

const TOKEN = 'a-token-of-256-random-bits';

/** Returns the cookie of a browser that opened the link. */
async function cookieOf(server: TestServer): Promise<string> {
  const { status, headers } = await server.call('GET', `/?token=${TOKEN}`);
  expect([status, headers.get('location')]).toEqual([303, './']);
  return (headers.get('set-cookie') ?? '').split(';')[0] as string;
}

function known(): Promise<TestServer> {
  return startServer({ sessionKeyDigests: [keyDigests(TOKEN)] });
}

test('the link is exchanged for a cookie that is not the token and that pages cannot read', async () => {
  const server = await known();
  const { headers } = await server.call('GET', `/?token=${TOKEN}`);
  const cookie = headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^conv_session_\d+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(TOKEN);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('the cookie opens the server for its own pages, and the token for programs', async () => {
  const server = await known();
  const cookie = await cookieOf(server);
  const ask = async (headers: Record<string, string>): Promise<number> =>
    (await server.call('GET', '/api/conversations/search', undefined, headers)).status;
  expect(await ask({})).toBe(401);
  expect(await ask({ 'x-session-api-key': TOKEN })).toBe(200);
  expect(await ask({ cookie })).toBe(200);
  expect(await ask({ cookie, origin: server.url, 'sec-fetch-site': 'same-origin' })).toBe(200);
  // a page at another port of this machine is sent the cookie, too
  expect(await ask({ cookie, origin: 'http://127.0.0.1:3000' })).toBe(401);
  expect(await ask({ cookie, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' })).toBe(401);
  expect(await ask({ cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
  expect(await ask({ cookie, 'sec-fetch-site': 'cross-site' })).toBe(403);
  // the cookie's value is not a key
  expect(await ask({ 'x-session-api-key': cookie.split('=')[1] as string })).toBe(401);
});

test('a link with a wrong token gets no cookie, and says how to make another', async () => {
  const server = await known();
  const answer = await server.call('GET', '/?token=wrong');
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
  expect(answer.body).toMatchObject({ detail: expect.stringContaining('server -- token') as string });
});

test('with an approver key no cookie approves: browsers show it to every port of the host', async () => {
  const server = await startServer({ sessionKeys: ['a-session-key'], approverKeys: [TOKEN] });
  const cookie = await cookieOf(server);
  const path = '/api/conversations/00000000-0000-4000-8000-000000000000/approve';
  expect((await server.call('POST', path, {}, { cookie })).status).toBe(403);
  expect((await server.call('POST', path, {}, { 'x-session-api-key': TOKEN })).status).toBe(404);
});

test('every answer says what browsers may do with it', async () => {
  const server = await known();
  const shown = { 'x-session-api-key': TOKEN };
  for (const path of ['/api/conversations/search', '/alive', '/docs', '/api/nowhere', '/server_info']) {
    const { headers } = await server.call('GET', path, undefined, shown);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe(path.startsWith('/api/') ? 'no-store' : null);
  }
});
