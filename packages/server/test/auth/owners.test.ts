import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@conv/core';
import { MemoryStore, StoreError, type ConversationStore } from '@conv/core/store';
import type { ConversationInfo } from '@conv/openhands/rest';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { expect, onTestFinished, test } from 'vitest';

import { addKey } from '../../src/auth/key-records.ts';
import type { Principal } from '../../src/auth/principal.ts';
import { message } from '../support/conversation-calls.ts';
import { environment } from '../support/run-git.ts';
import { newConversation, startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';

const OWN = { own: true };
const PEOPLE: Readonly<Record<string, Principal>> = {
  'key-of-ann': { name: 'ann', scopes: ['read', 'run'], limits: OWN },
  'key-of-bob': { name: 'bob', scopes: ['read', 'run'], limits: OWN },
  'key-of-red': { name: 'red', scopes: ['read', 'run'], limits: { tags: { team: 'red' } } },
  'key-of-eve': { name: 'eve', scopes: ['read'], limits: {} },
};

type Who = 'ann' | 'bob' | 'red' | 'eve' | 'operator';

/** A server with keys of people who are limited to some conversations, and the key of an operator. */
function shared(options: TestServerOptions = {}): Promise<TestServer> {
  return startServer({ sessionKeys: ['key-of-operator'], principal: (key) => PEOPLE[key], ...options });
}

function by(who: Who): Record<string, string> {
  return { 'x-session-api-key': `key-of-${who}` };
}

/** A request that a key without the scope `approve` may send. */
function asking(server: TestServer): JsonObject {
  return { ...newConversation(server.folder), confirmation_policy: { kind: 'AlwaysConfirm' } };
}

async function start(server: TestServer, who: Who, more: object = {}): Promise<ConversationInfo> {
  const body = { ...asking(server), ...more };
  const answer = await server.call<ConversationInfo>('POST', '/api/conversations', body, by(who));
  expect(answer.status).toBe(201);
  return answer.body;
}

async function get(server: TestServer, who: Who, path: string): Promise<{ status: number; body: ConversationInfo }> {
  return server.call<ConversationInfo>('GET', `/api/conversations/${path}`, undefined, by(who));
}

interface Page {
  readonly items: readonly ConversationInfo[];
  readonly next_page_id: string | null;
}

/** The ids that a caller finds, page by page. */
async function pages(server: TestServer, who: Who, limit: number): Promise<readonly (readonly string[])[]> {
  const found: string[][] = [];
  let page: string | null = null;
  do {
    const query: string = `limit=${limit}&sort_order=CREATED_AT${page === null ? '' : `&page_id=${encodeURIComponent(page)}`}`;
    const { body }: { body: Page } = await server.call('GET', `/api/conversations/search?${query}`, undefined, by(who));
    found.push(body.items.map(({ id }) => id));
    page = body.next_page_id;
  } while (page !== null);
  return found;
}

test('lists, counts and batches have only the conversations that a caller may know, in full pages', async () => {
  const server = await shared();
  const made: Record<string, string[]> = { ann: [], bob: [] };
  for (const who of ['ann', 'bob', 'bob', 'ann', 'bob', 'ann', 'ann', 'bob'] as const)
    made[who]?.push((await start(server, who)).id);
  const count = async (who: Who): Promise<unknown> => (await get(server, who, 'count')).body;
  expect(await Promise.all((['ann', 'operator', 'red'] as const).map(count))).toEqual([4, 8, 0]);
  expect(await pages(server, 'ann', 3)).toEqual([made['ann']?.slice(0, 3), made['ann']?.slice(3)]);
  expect(await pages(server, 'ann', 4)).toEqual([made['ann']]);
  expect(await pages(server, 'bob', 2)).toEqual([made['bob']?.slice(0, 2), made['bob']?.slice(2)]);
  expect(await pages(server, 'red', 5)).toEqual([[]]);
  expect((await pages(server, 'operator', 100)).flat()).toHaveLength(8);
  const ids = [...(made['ann'] ?? []), ...(made['bob'] ?? [])].map((id) => `ids=${id}`).join('&');
  const { body: batch } = await server.call<readonly (ConversationInfo | null)[]>(
    'GET',
    `/api/conversations?${ids}`,
    undefined,
    by('bob'),
  );
  expect(batch.map((info) => info?.owner ?? null)).toEqual([null, null, null, null, 'bob', 'bob', 'bob', 'bob']);
});

test('the owner is the key that started a conversation, its forks too; a configured key owns none', async () => {
  const server = await shared();
  const { id } = await start(server, 'ann');
  expect((await get(server, 'operator', id)).body.owner).toBe('ann');
  const path = `/api/conversations/${id}/fork`;
  const fork = await server.call<ConversationInfo>('POST', path, {}, by('operator'));
  expect(fork.body.owner).toBe('ann');
  expect((await get(server, 'ann', fork.body.id)).body.forked_from_conversation_id).toBe(id);
  expect((await get(server, 'bob', fork.body.id)).status).toBe(404);
  const unowned = await start(server, 'operator');
  expect(unowned.owner).toBeNull();
  expect((await get(server, 'ann', unowned.id)).status).toBe(404);
});

test('the owner outlives the server', async () => {
  const server = await shared();
  const { id } = await start(server, 'ann');
  await server.close();
  const next = await shared({ store: server.store });
  expect((await get(next, 'ann', id)).body.owner).toBe('ann');
  expect((await get(next, 'bob', id)).status).toBe(404);
});

test('a child is known with its parent, and has no parent that its maker may not know', async () => {
  const server = await shared();
  const parent = await start(server, 'ann');
  const { workspace } = parent;
  const child = await start(server, 'operator', { workspace, parent_conversation_id: parent.id });
  expect((await get(server, 'ann', child.id)).body.parent_conversation_id).toBe(parent.id);
  expect((await get(server, 'ann', parent.id)).body.sub_conversation_ids).toEqual([child.id]);
  const body = { ...asking(server), workspace, parent_conversation_id: parent.id };
  const refused = await server.call('POST', '/api/conversations', body, by('bob'));
  expect([refused.status, refused.body['detail']]).toEqual([422, `Parent conversation not found: ${parent.id}`]);
});

test('an id of another owner cannot be used, and keys of repeated requests are of their owner', async () => {
  const server = await shared();
  const { id } = await start(server, 'ann');
  const body = { ...asking(server), conversation_id: id };
  const taken = await server.call('POST', '/api/conversations', body, by('bob'));
  expect([taken.status, Object.keys(taken.body)]).toEqual([409, ['detail']]);
  const asked = { ann: asking(server), bob: asking(server) };
  const repeat = { 'idempotency-key': 'the same' };
  const made = await Promise.all(
    (['ann', 'bob', 'ann'] as const).map((who) =>
      server.call<ConversationInfo>('POST', '/api/conversations', asked[who], {
        ...by(who),
        ...repeat,
      }),
    ),
  );
  expect(made[0]?.body.id).not.toBe(made[1]?.body.id);
  expect(made[1]?.body.owner).toBe('bob');
});

test("a foreign damaged conversation's id is refused as any used id, and nothing tells of the damage", async () => {
  const store = new MemoryStore();
  let damaged = '';
  const read: ConversationStore['read'] = async (id) => {
    if (id === damaged) throw new StoreError('CORRUPT', 'the words of the damage');
    return store.read(id);
  };
  const wrapped = new Proxy(store, {
    get: (_, name) => {
      const member: unknown = name === 'read' ? read : Reflect.get(store, name, store);
      return typeof member === 'function' ? (member.bind(store) as unknown) : member;
    },
  });
  const first = await shared({ store });
  const { id } = await start(first, 'ann');
  const source = await start(first, 'bob');
  await first.close();
  damaged = id;
  const server = await shared({ store: wrapped });
  const attempts = await Promise.all([
    server.call('POST', '/api/conversations', { ...asking(server), conversation_id: id }, by('bob')),
    server.call('POST', `/api/conversations/${source.id}/fork`, { id }, { ...by('bob'), 'idempotency-key': 'any' }),
  ]);
  const refusal = `The id ${id} cannot be used; choose another one`;
  expect(attempts.map(({ status, body }) => [status, body])).toEqual([
    [409, { detail: refusal }],
    [409, { detail: refusal }],
  ]);
});

test('a child is not known with another conversation that has the id of its deleted parent', async () => {
  const server = await shared();
  const parent = await start(server, 'ann');
  const { workspace } = parent;
  const child = await start(server, 'ann', { workspace, parent_conversation_id: parent.id });
  expect((await server.call('DELETE', `/api/conversations/${parent.id}`, undefined, by('ann'))).status).toBe(200);
  const again = await start(server, 'bob', { conversation_id: parent.id });
  expect([again.id, again.owner, (await get(server, 'bob', child.id)).status]).toEqual([parent.id, 'bob', 404]);
  expect((await get(server, 'ann', child.id)).status).toBe(200);
});

test('two owners who use one id at the same time get one conversation and one refusal', async () => {
  const server = await shared();
  const conversation_id = randomUUID();
  const made = await Promise.all(
    (['ann', 'bob'] as const).map((who) =>
      server.call('POST', '/api/conversations', { ...asking(server), conversation_id }, by(who)),
    ),
  );
  expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409]);
});

test('the fork of a limited key is within its limits', async () => {
  const server = await shared();
  const fork = (id: string, who: Who, tags?: object) =>
    server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, tags ? { tags } : {}, by(who));
  const red = await start(server, 'red');
  for (const tags of [undefined, { team: 'blue', color: 'any' }]) {
    const { body } = await fork(red.id, 'red', tags);
    expect(body.tags).toEqual({ ...tags, team: 'red' });
  }
  const parent = await start(server, 'ann');
  const { workspace } = parent;
  const child = await start(server, 'operator', { workspace, parent_conversation_id: parent.id });
  const { body } = await fork(child.id, 'ann');
  expect([body.owner, (await get(server, 'ann', body.id)).status]).toEqual(['ann', 200]);
});

test('a socket ends when its conversation has left the limits of its key', async () => {
  const server = await shared();
  const { id } = await start(server, 'ann', { tags: { team: 'red' } });
  const url = `${server.url.replace('http', 'ws')}/sockets/session/${id}?session_api_key=key-of-red`;
  const socket = new TestSocket(url);
  onTestFinished(() => socket.terminate());
  await socket.until((frames) => frames.length > 0);
  expect((await server.call('PATCH', `/api/conversations/${id}`, { tags: {} }, by('ann'))).status).toBe(200);
  expect(await socket.closed).toMatchObject({ code: 4004 });
});

test('a key that is limited to a tag starts conversations with it, keeps it, and sees others that have it', async () => {
  const server = await shared();
  const own = await start(server, 'red', { tags: { color: 'any' } });
  expect(own.tags).toEqual({ color: 'any', team: 'red' });
  const change = (id: string, tags: object, who: Who) =>
    server.call('PATCH', `/api/conversations/${id}`, { tags }, by(who));
  const refused = await change(own.id, {}, 'red');
  expect([refused.status, refused.body['detail']]).toEqual([403, expect.stringContaining('tag team')]);
  expect((await change(own.id, { team: 'red', color: 'other' }, 'red')).status).toBe(200);
  const other = await start(server, 'ann');
  expect((await get(server, 'red', other.id)).status).toBe(404);
  await change(other.id, { team: 'red' }, 'ann');
  expect((await get(server, 'red', other.id)).status).toBe(200);
  const fork = await server.call<ConversationInfo>(
    'POST',
    `/api/conversations/${other.id}/fork`,
    { tags: { team: 'red' } },
    by('ann'),
  );
  await change(other.id, {}, 'operator');
  expect((await get(server, 'red', fork.body.id)).body.forked_from_conversation_id).toBeNull();
});

test('an action without its scope is refused by a sentence that names the scope, on a socket too', async () => {
  const server = await shared();
  const { id } = await start(server, 'ann');
  const refused = await server.call('POST', `/api/conversations/${id}/events`, message('hi'), by('eve'));
  const sentence = 'This needs the scope run, and the key in X-Session-API-Key has: read';
  expect([refused.status, refused.body['detail']]).toEqual([403, sentence]);
  const url = `${server.url.replace('http', 'ws')}/sockets/session/${id}?session_api_key=key-of-eve`;
  const socket = new TestSocket(url);
  onTestFinished(() => socket.terminate());
  await socket.opened();
  socket.send({ role: 'user', content: 'hi' });
  expect(await socket.find(({ type }) => type === 'error')).toMatchObject({
    code: 'DENIED',
    detail: expect.stringContaining(sentence) as string,
  });
  const events = await get(server, 'eve', `${id}/events/count`);
  expect(events.body).toBe(0);
});

test('a limited key is refused by routes about all conversations', async () => {
  const server = await shared({ metrics: { text: async () => 'x 1' } });
  const metrics = (who: Who) => server.call('GET', '/metrics', undefined, by(who));
  expect((await metrics('ann')).status).toBe(403);
  expect((await metrics('eve')).status).toBe(200);
});

test('a session tells the name and the scopes of its key', async () => {
  const server = await shared();
  const session = async (who: Who) => (await server.call('GET', '/api/auth/session', undefined, by(who))).body;
  expect(await session('ann')).toEqual({ rights: 'session', name: 'ann', scopes: ['read', 'run'], daily: null });
  expect(await session('operator')).toMatchObject({ rights: 'approver', name: null });
});

test('a function that returns no principal does not open the server', async () => {
  const principal = (key: string): Principal | undefined =>
    key === 'odd' ? ({ name: 'odd', scopes: 'admin' } as unknown as Principal) : undefined;
  const server = await startServer({ principal });
  const ask = (key: string) => server.call('GET', '/api/conversations/count', undefined, { 'x-session-api-key': key });
  expect([(await ask('other')).status, (await ask('odd')).status]).toEqual([401, 500]);
});

test('a function that fails refuses a socket, ends an open one, and leaves the server up', async () => {
  let fails = false;
  const principal = (key: string): Principal | undefined => {
    if (fails || key === 'odd') throw new Error('the login is away');
    return PEOPLE[key];
  };
  const server = await shared({ principal });
  const { id } = await start(server, 'ann');
  const open = (key: string): TestSocket => {
    const socket = new TestSocket(`${server.url.replace('http', 'ws')}/sockets/session/${id}?session_api_key=${key}`);
    onTestFinished(() => socket.terminate());
    return socket;
  };
  expect(await open('odd').refused).toBe(500);
  const socket = open('key-of-ann');
  await socket.until((frames) => frames.length > 0);
  fails = true;
  expect(await socket.closed).toMatchObject({ code: 1011 });
  expect((await get(server, 'operator', id)).status).toBe(200);
  expect(server.reported.map(({ error }) => (error as Error).message)).toContain('the login is away');
});

test.each([
  { owner: true },
  { own: 'yes' },
  { tags: { team: undefined } },
  { tags: ['red'] },
  { folders: ['srv'] },
  null,
])('invalid limits do not open all conversations: %j', async (limits) => {
  const principal = (): Principal => ({ name: 'ann', scopes: ['read'], limits: limits as never });
  const server = await startServer({ principal });
  const headers = { 'x-session-api-key': 'any' };
  expect((await server.call('GET', '/api/conversations/count', undefined, headers)).status).toBe(500);
  await expect(
    addKey(new MemoryRegistry(), { name: 'ann', scopes: ['read'], limits: limits as never }),
  ).rejects.toThrow('addKey: limits');
});

test("a foreign conversation's workspace answers as that of none, even beside a conversation of its caller", async () => {
  const server = await shared({ workspaceHost: { environment, workingDirectory: '/' } });
  const [own, foreign] = [await start(server, 'ann'), await start(server, 'bob')];
  const unknown = randomUUID();
  const answer = async (id: string, query: string): Promise<unknown> => {
    const { status, body } = await get(server, 'ann', `${id}/file/download-trajectory/${own.id}${query}`);
    return [status, JSON.stringify(body).replaceAll(id, 'ID')];
  };
  for (const path of [undefined, foreign.workspace['working_dir'] as string, '/']) {
    const query = path === undefined ? '' : `?${new URLSearchParams({ path }).toString()}`;
    expect(await answer(foreign.id, query)).toEqual(await answer(unknown, query));
  }
  expect((await get(server, 'ann', `${own.id}/file/download-trajectory/${own.id}`)).status).toBe(200);
});
