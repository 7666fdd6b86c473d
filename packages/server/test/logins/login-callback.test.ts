import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { newConversation, startServer, type TestServer } from '../support/test-server.ts';
import { principalOf } from '../../src/conversations/principal-of.ts';

const BACK = '/mcp/callback?state=the-state&code=the-code&iss=http%3A%2F%2Flogin.example';
/** Headers of a browser that an authorization server has sent here. */
const BROWSER = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/** A server with keys whose logins end like this. */
async function serverWith(finish: (callback: URL) => Promise<{ ok: boolean; message: string }>): Promise<TestServer> {
  return startServer({ sessionKeys: ['the-key-of-this-server'], logins: { finish } });
}

test('a browser that comes back without a key ends the login, and sees a page', async () => {
  const asked: string[] = [];
  const server = await serverWith(async (callback) => {
    asked.push(callback.search);
    return { ok: true, message: 'Access is granted.' };
  });
  const { status, body, headers } = await server.call<string>('GET', BACK, undefined, BROWSER);
  expect([status, asked]).toEqual([200, [BACK.slice(BACK.indexOf('?'))]]);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(body).toContain('<p>Access is granted.</p>');
});

test('P9: the page holds no part of its address, runs and loads nothing, and is not cached', async () => {
  const server = await serverWith(async () => ({ ok: false, message: 'The login failed: <b>"no" & never</b>.' }));
  const { status, body, headers } = await server.call<string>('GET', `${BACK}&x=%3Cscript%3E`, undefined, BROWSER);
  expect(status).toBe(400);
  expect(body).toContain('&lt;b&gt;&quot;no&quot; &amp; never&lt;/b&gt;');
  expect(body).not.toMatch(/the-code|the-state|<script|<a |src=|href=/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('a program that only looks at the address does not end the login', async () => {
  const asked: string[] = [];
  const server = await serverWith(async (callback) => {
    asked.push(callback.href);
    return { ok: true, message: '' };
  });
  for (const method of ['HEAD', 'POST']) expect((await fetch(server.url + BACK, { method })).status).toBe(405);
  expect(asked).toEqual([]);
});

test('P9: a login that cannot be stored is reported without its address, and the page says what to do', async () => {
  const failure = new Error('the registry does not answer');
  const server = await serverWith(() => Promise.reject(failure));
  const { status, body } = await server.call<string>('GET', BACK, undefined, BROWSER);
  expect(status).toBe(503);
  expect(body).toContain('Load this page again');
  expect(server.reported).toEqual([{ error: failure, doing: 'ending a login at an MCP server' }]);
});

test('a server without logins has no such route', async () => {
  const server = await startServer();
  expect((await server.call('GET', BACK)).status).toBe(404);
});

test.each([
  [{ finish: 'yes' }, 'agentServer: logins: finish: expected a function'],
  [{ finished: () => undefined }, 'there is no option "finished"'],
])('the option %j is refused by its name', async (logins, said) => {
  await expect(startServer({ logins: logins as never })).rejects.toThrow(said);
});

test('a server that accepts no commands has no logins', async () => {
  const logins = { finish: async () => ({ ok: true, message: '' }) };
  await expect(startServer({ readOnly: 'only to look at', logins })).rejects.toThrow('found both');
});

test('P9: a conversation belongs to the key that started it, also through its parents, and to no other', async () => {
  const server = await startServer({
    principal: (key) => ({ name: key, scopes: ['read', 'run', 'approve', 'admin'] }),
    sessionKeys: ['the-key-of-this-server'],
  });
  const made = async (key: string, more: object = {}): Promise<string> => {
    const body = { ...newConversation(server.folder), ...more };
    const headers = { 'x-session-api-key': key };
    return (await server.call<{ id: string }>('POST', '/api/conversations', body, headers)).body.id;
  };
  const [ann, bob, none] = [await made('ann'), await made('bob'), await made('the-key-of-this-server')];
  const of = (id: string): Promise<string | null> => principalOf(server.host, id);
  expect([await of(ann), await of(bob), await of(none)]).toEqual(['ann', 'bob', null]);
  await expect(of(randomUUID())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  using lease = await server.host.create({
    id: randomUUID(),
    workspace: server.folder,
    parentId: ann,
    agent: (await server.agents.revive({ kind: 'Agent', llm: { model: 'scripted' }, tools: [] })) as never,
  });
  expect(await of(lease.conversation.id)).toBe('ann');
});
