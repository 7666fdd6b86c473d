import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';

import { keyDigests } from '../../src/auth/key-digests.ts';
import { newConversation, startServer, type Answer, type TestServer } from '../support/test-server.ts';

const TOKEN = 'a-token-of-256-random-bits';
const SESSION = '/api/auth/session';
const ID = '00000000-0000-4000-8000-000000000000';

function known(): Promise<TestServer> {
  return startServer({ sessionKeyDigests: [keyDigests(TOKEN)] });
}

function cookieIn({ headers }: Answer): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] as string;
}

/** Returns the cookie of a browser that opened the start link. */
async function cookieOf(server: TestServer, key = TOKEN): Promise<string> {
  const answer = await server.call('POST', SESSION, { ticket: server.ticket(key) });
  expect(answer.status).toBe(204);
  return cookieIn(answer);
}

test('a ticket is exchanged for a cookie that is not the key and that pages cannot read', async () => {
  const server = await known();
  const { headers } = await server.call('POST', SESSION, { ticket: server.ticket(TOKEN) });
  const cookie = headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^conv_session_\d+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(TOKEN);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
});

test('the key in the header is exchanged for the same cookie, and no body is needed', async () => {
  const server = await known();
  const answer = await server.call('POST', SESSION, undefined, { 'x-session-api-key': TOKEN });
  expect(answer.status).toBe(204);
  expect(cookieIn(answer)).toBe(await cookieOf(server));
});

test('a ticket opens a session once', async () => {
  const server = await known();
  const ticket = server.ticket(TOKEN);
  const statuses = [];
  for (let time = 0; time < 3; time++) statuses.push((await server.call('POST', SESSION, { ticket })).status);
  expect(statuses).toEqual([204, 401, 401]);
});

test('a ticket is void after ten minutes', async () => {
  let now = 0;
  const server = await startServer({ sessionKeys: [TOKEN], platform: { ...systemPlatform, monotonic: () => now } });
  const [young, old] = [server.ticket(TOKEN), server.ticket(TOKEN)];
  now += 9 * 60_000;
  expect((await server.call('POST', SESSION, { ticket: young })).status).toBe(204);
  now += 60_000;
  const { status, body } = await server.call('POST', SESSION, { ticket: old });
  expect([status, body['detail']]).toEqual([401, expect.stringContaining('ten minutes')]);
});

test('a wrong ticket, a wrong key, a ticket of a wrong key and nothing at all get no cookie', async () => {
  const server = await known();
  const answers = [
    await server.call('POST', SESSION, { ticket: 'wrong' }),
    await server.call('POST', SESSION, undefined, { 'x-session-api-key': 'wrong' }),
    await server.call('POST', SESSION, { ticket: server.ticket('wrong') }),
    await server.call('POST', SESSION),
    // a wrong ticket is not made good by the right key
    await server.call('POST', SESSION, { ticket: 'wrong' }, { 'x-session-api-key': TOKEN }),
  ];
  for (const { status, headers } of answers) expect([status, headers.get('set-cookie')]).toEqual([401, null]);
});

test('guesses of tickets have to wait as guesses of keys do', async () => {
  // the wait is a second, which a busy machine may need for the next guess
  const platform = { ...systemPlatform, monotonic: () => 0 };
  const server = await startServer({ sessionKeyDigests: [keyDigests(TOKEN)], platform });
  const statuses = [];
  for (let guess = 0; guess < 21; guess++)
    statuses.push((await server.call('POST', SESSION, { ticket: `guess-${guess}` })).status);
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
  expect(statuses[20]).toBe(429);
});

test('pages of the server itself are the only pages that open or end a session', async () => {
  const server = await known();
  const others = [
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: server.url, 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of others) {
    const opened = await server.call('POST', SESSION, { ticket: server.ticket(TOKEN) }, headers);
    const ended = await server.call('DELETE', SESSION, undefined, headers);
    expect([opened, ended].map((answer) => [answer.status, answer.headers.get('set-cookie')])).toEqual([
      [403, null],
      [403, null],
    ]);
  }
  const own = { origin: server.url, 'sec-fetch-site': 'same-origin' };
  expect((await server.call('POST', SESSION, { ticket: server.ticket(TOKEN) }, own)).status).toBe(204);
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

test('a write with the cookie is refused for a page of another origin', async () => {
  const server = await known();
  const cookie = await cookieOf(server);
  const write = async (headers: Record<string, string>): Promise<number> =>
    (await server.call('POST', `/api/conversations/${ID}/pause`, {}, { cookie, ...headers })).status;
  expect(await write({ origin: 'http://localhost:3000' })).toBe(401);
  expect(await write({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await write({ origin: server.url, 'sec-fetch-site': 'same-origin' })).toBe(404);
});

test('a socket with the cookie is opened for a page of the server alone', async () => {
  const server = await known();
  const { id } = await startedWith(server);
  const cookie = await cookieOf(server);
  const address = `${server.url.replace('http', 'ws')}/sockets/session/${id}`;
  const first = (origin: string | undefined): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(address, { headers: { cookie, ...(origin === undefined ? {} : { origin }) } });
      socket.once('message', (data: Buffer) => {
        resolve((JSON.parse(data.toString()) as { type: string }).type);
        socket.close();
      });
      socket.once('close', (code) => resolve(`closed with ${code}`));
      socket.once('error', reject);
      // a client that shows no key says something else first
      socket.once('open', () => origin !== server.url && socket.send('{}'));
    });
  expect(await first(server.url)).toBe('sync');
  expect(await first('http://127.0.0.1:3000')).toBe('closed with 4001');
  expect(await first('https://evil.example')).toBe('closed with 4001');
  expect(await first(undefined)).toBe('closed with 4001');
});

test('a server that checks its host name refuses requests and sockets under other names', async () => {
  const server = await startServer({ sessionKeys: [TOKEN], cors: { checkHost: true } });
  const headers = { host: 'evil.example', 'x-session-api-key': TOKEN };
  expect((await server.call('GET', '/api/conversations/search', undefined, headers)).status).toBe(403);
  expect((await server.call('POST', SESSION, { ticket: server.ticket(TOKEN) }, { host: 'evil.example' })).status).toBe(
    403,
  );
  const status = await new Promise<number | undefined>((resolve) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/sockets/session/${ID}`, { headers });
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.once('error', () => {});
  });
  expect(status).toBe(403);
  const own = { 'x-session-api-key': TOKEN };
  expect((await server.call('GET', '/api/conversations/search', undefined, own)).status).toBe(200);
});

test('the session says which rights it has, and ends with its cookie', async () => {
  const server = await known();
  const cookie = await cookieOf(server);
  expect((await server.call('GET', SESSION, undefined, {})).status).toBe(401);
  expect((await server.call('GET', SESSION, undefined, { cookie })).body).toMatchObject({
    rights: 'approver',
    name: null,
  });
  const { status, headers } = await server.call('DELETE', SESSION, undefined, { cookie });
  expect([status, headers.get('set-cookie')]).toEqual([
    204,
    expect.stringMatching(/^conv_session_\d+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
});

test('the link with a ticket sets the cookie and leads on without the ticket', async () => {
  const server = await known();
  const link = `/?ticket=${server.ticket(TOKEN)}`;
  const answer = await server.call('GET', link);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, './']);
  expect(cookieIn(answer)).toBe(await cookieOf(server));
  const again = await server.call('GET', link);
  expect([again.status, again.headers.get('set-cookie')]).toEqual([401, null]);
});

test('no key in a URL opens a session', async () => {
  const server = await known();
  for (const name of ['token', 'ticket', 'session_api_key']) {
    const { headers } = await server.call('GET', `/?${name}=${TOKEN}`);
    expect(headers.get('set-cookie')).toBeNull();
  }
});

test('a server without keys takes every page of its own and sets no cookie', async () => {
  const server = await startServer();
  const answer = await server.call('POST', SESSION, {});
  expect([answer.status, answer.headers.get('set-cookie')]).toEqual([204, null]);
  expect((await server.call('GET', SESSION)).body).toMatchObject({ rights: 'approver', name: null });
});

test('no cookie approves on a server with an approver key, because every port of the host gets cookies', async () => {
  const server = await startServer({ sessionKeys: ['a-session-key'], approverKeys: [TOKEN] });
  const cookie = await cookieOf(server);
  expect((await server.call('GET', SESSION, undefined, { cookie })).body).toMatchObject({
    rights: 'session',
    name: null,
  });
  const path = `/api/conversations/${ID}/approve`;
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

/** Starts a conversation, as a program does. */
async function startedWith(server: TestServer): Promise<{ readonly id: string }> {
  const headers = { 'x-session-api-key': TOKEN };
  return (await server.call<{ id: string }>('POST', '/api/conversations', newConversation(server.folder), headers))
    .body;
}
