import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';

import type { ServerInfo } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { cookieOf } from '../../src/auth/key-digests.ts';
import { newConversation, startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { talk } from './test-protocol.ts';

const OPERATOR = 'key-of-operator';

/** A server that speaks the protocol, with keys of people that can be changed. */
async function served(
  people: Readonly<Record<string, Principal>> = {},
  more: TestServerOptions = {},
): Promise<TestServer> {
  return startServer({ sessionKeys: [OPERATOR], principal: (key) => people[key], protocols: [talk()], ...more });
}

async function start(server: TestServer, key = OPERATOR): Promise<string> {
  const body = { ...newConversation(server.folder), confirmation_policy: { kind: 'AlwaysConfirm' } };
  const answer = await server.call('POST', '/api/conversations', body, { 'x-session-api-key': key });
  return answer.body['id'] as string;
}

async function ask(server: TestServer, path: string, headers: Record<string, string>, text?: string) {
  return server.call<unknown>(text === undefined ? 'GET' : 'POST', path, text, headers);
}

const by = (key: string): Record<string, string> => ({ 'x-session-api-key': key });

test("a protocol takes the key of the server in its header, as a token or as a page's cookie alone", async () => {
  const server = await served();
  const path = `/talk/${await start(server)}`;
  const { port } = new URL(server.url);
  const cookie = `conv_session_${port}=${cookieOf(OPERATOR, 'session')}`;
  const shown = [by(OPERATOR), { authorization: `Bearer ${OPERATOR}` }, { cookie }];
  for (const headers of shown) expect((await ask(server, path, headers)).status).toBe(200);
  const wrong = [{}, by('another'), { authorization: 'Bearer another' }, { cookie, origin: 'https://evil.example' }];
  for (const headers of wrong) expect((await ask(server, path, headers)).status).toBe(401);
});

test('P10: a handler has the rights of the sender, for each request anew', async () => {
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ['read', 'run'] } };
  const server = await served(people);
  const id = await start(server);
  const path = `/talk/${id}`;
  expect((await ask(server, path, by('ann'), 'hello')).status).toBe(200);
  people['ann'] = { name: 'ann', scopes: ['read'] };
  expect(await ask(server, path, by('ann'), 'again')).toMatchObject({
    status: 403,
    body: expect.stringMatching(/^DENIED/),
  });
  expect((await ask(server, path, by('ann'))).status).toBe(200);
  people['ann'] = { name: 'ann', scopes: ['run'] };
  expect((await ask(server, path, by('ann'))).status).toBe(403);
  delete people['ann'];
  expect((await ask(server, path, by('ann'))).status).toBe(401);
  const { body } = await server.call<{ items: readonly { source: string }[] }>(
    'GET',
    `/api/conversations/${id}/events/search`,
    undefined,
    by(OPERATOR),
  );
  expect(body.items.filter(({ source }) => source === 'user')).toHaveLength(1);
});

test('P10: a conversation that the sender may not know is told as a missing one, and is not listed', async () => {
  const people = { ann: { name: 'ann', scopes: ['read', 'run', 'approve'], limits: { own: true } } } as const;
  const server = await served(people);
  const foreign = await start(server);
  const own = await start(server, 'ann');
  const answers = [];
  for (const id of [foreign, randomUUID(), 'no-id'])
    answers.push(
      await ask(server, `/talk/${id}`, by('ann')).then(({ status, body }) => [status, String(body).replace(id, 'ID')]),
    );
  expect(answers).toEqual([1, 2, 3].map(() => [404, 'NOT_FOUND: there is no conversation ID']));
  expect((await ask(server, '/talk-list', by('ann'))).body).toMatchObject({ ids: [own] });
  expect((await ask(server, '/talk-list', by(OPERATOR))).body).toMatchObject({ ids: [own, foreign] });
  expect((await ask(server, '/talk-list?cursor=x', by(OPERATOR))).status).toBe(400);
});

test('P11: a handler sees at once what another request has stored', async () => {
  const server = await served();
  const id = await start(server);
  expect((await ask(server, `/talk/${id}`, by(OPERATOR))).body).toEqual([]);
  for (let count = 1; count <= 20; count++) {
    const message = { role: 'user', content: [{ type: 'text', text: 'on' }], run: false };
    await server.call('POST', `/api/conversations/${id}/events`, message, by(OPERATOR));
    const { body } = await ask(server, `/talk/${id}`, by(OPERATOR));
    expect((body as readonly string[]).length).toBeGreaterThanOrEqual(count);
  }
});

test('P10: an open path, and headers that only the server gives, open no conversation', async () => {
  const server = await served();
  const id = await start(server);
  expect((await ask(server, `/talk-card?id=${id}`, {})).status).toBe(403);
  expect((await ask(server, `/talk-card?id=${id}`, { 'x-conv-sender': 'x', 'x-conv-voucher': 'x' })).status).toBe(403);
  expect((await ask(server, `/api/conversations/${id}`, { 'x-conv-voucher': 'x' })).status).toBe(401);
});

test('a stream is cut off when its key is revoked, and ends when the server closes', async () => {
  const people: Record<string, Principal> = {
    ann: { name: 'ann', scopes: ['read'] },
    bob: { name: 'bob', scopes: ['read'] },
  };
  const server = await served(people);
  const id = await start(server);
  const [ann, bob] = await Promise.all(
    ['ann', 'bob'].map((key) => fetch(`${server.url}/talk/${id}/stream`, { headers: by(key) })),
  );
  delete people['ann'];
  await expect(ann?.text()).rejects.toThrow('terminated');
  await server.close();
  expect(await bob?.text()).toBe('begun\n');
});

test('P10: a key that lost its rights and has them again follows what comes', async () => {
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ['read'] } };
  const server = await served(people);
  const id = await start(server);
  const first = await fetch(`${server.url}/talk/${id}/stream`, { headers: by('ann') });
  people['ann'] = { name: 'ann', scopes: ['run'] };
  await expect(first.text()).rejects.toThrow('terminated');
  people['ann'] = { name: 'ann', scopes: ['read'] };
  const { body } = await fetch(`${server.url}/talk/${id}/stream`, { headers: by('ann') });
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe('begun\n');
  const message = { role: 'user', content: [{ type: 'text', text: 'on' }], run: false };
  await server.call('POST', `/api/conversations/${id}/events`, message, by(OPERATOR));
  expect((await reader.read()).value).toMatch(/^[\w-]{36}\n/);
  await reader.cancel();
});

test('a body comes to the handler as it was sent', async () => {
  const server = await served();
  expect((await ask(server, '/talk', by(OPERATOR), '{"half')).status).toBe(418);
});

test('a handler is made for the first request, once, and again after a failure', async () => {
  const made = { count: 0 };
  let fails = true;
  const { handler, ...rest } = talk(made);
  const failing = {
    ...rest,
    name: 'failing',
    paths: ['/failing/*'],
    openPaths: [],
    handler: (...given: Parameters<typeof handler>) => {
      if (fails) throw new Error('not yet');
      return handler(...given);
    },
  };
  const server = await served({}, { protocols: [failing, { ...rest, handler }] });
  expect(made.count).toBe(0);
  await Promise.all([1, 2, 3].map(() => ask(server, '/talk-list', by(OPERATOR))));
  expect(made.count).toBe(1);
  expect((await ask(server, '/failing/x', by(OPERATOR))).status).toBe(500);
  fails = false;
  expect((await ask(server, '/failing/x', by(OPERATOR))).status).not.toBe(500);
  const { body } = await server.call<ServerInfo>('GET', '/server_info');
  expect(body.protocols).toEqual(['failing', 'talk']);
});

test('a page of another origin cannot ask a protocol of a server without keys', async () => {
  const server = await startServer({ protocols: [{ ...talk(), paths: ['/v1/*', '/mcp'] }] });
  for (const path of ['/v1/x', '/mcp'])
    expect((await ask(server, path, { origin: 'https://evil.example' })).status).toBe(403);
});

test('wrong protocols are refused by name', async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{}, /protocols: expected a list/],
    [[{ ...talk(), name: '' }], /protocols: \[0\]: name: expected a name/],
    [[{ ...talk(), paths: ['v1'] }], /protocols: \[0\]: paths: expected paths such as/],
    [[{ ...talk(), handler: 1 }], /protocols: \[0\]: handler: expected a function/],
    [[{ ...talk(), port: 1 }], /port/],
  ];
  for (const [protocols, message] of wrong)
    await expect(startServer({ protocols: protocols as never })).rejects.toThrow(message);
});

test('a client that leaves before its answer leaves no error', async () => {
  const server = await served(
    {},
    {
      protocols: [{ ...talk(), handler: () => (request) => untilAborted(request.signal) }],
    },
  );
  const left = new Promise<void>((resolve) => {
    const request = httpRequest(`${server.url}/talk/x`, { headers: by(OPERATOR) });
    request.once('error', () => resolve());
    request.once('socket', (socket) => socket.once('connect', () => setImmediate(() => request.destroy())));
    request.end();
  });
  await left;
  await server.close();
  expect(server.reported).toEqual([]);
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
