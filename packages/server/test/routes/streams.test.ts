import { randomUUID } from 'node:crypto';

import type { Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { SessionTickets } from '../../src/auth/session-tickets.ts';
import { STREAM_TICKETS } from '../../src/routes/serve-streams.ts';
import { message } from '../support/conversation-calls.ts';
import { sentEvents, takeUntil, type SentEvent } from '../support/sent-events.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';

const KEY = { 'x-session-api-key': 'the key of this server' };

async function conversationOf(server: TestServer, ...texts: readonly string[]): Promise<string> {
  const { id } = await server.make();
  for (const text of texts) await server.call('POST', `/api/conversations/${id}/events`, message(text));
  return `/api/conversations/${id}`;
}

async function log(server: TestServer, path: string): Promise<readonly Event[]> {
  const { body } = await server.call<{ items: readonly Event[] }>('GET', `${path}/events/search?limit=100`);
  return body.items;
}

const isState = ({ name }: SentEvent): boolean => name === 'state';
const ids = (events: readonly SentEvent[]): readonly unknown[] => events.flatMap(({ id }) => id ?? []);

test('P11: the stream sends the events after a number, whose ids are their numbers, and then the state', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one', 'two', 'three');
  const stored = await log(server, path);
  const answer = await fetch(`${server.url}${path}/stream?after=0`);
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const events = await takeUntil(answer, isState);
  expect(ids(events)).toEqual(stored.map((_, index) => index).slice(1));
  expect(events.slice(0, -1).map(({ data }) => data['id'])).toEqual(stored.slice(1).map(({ id }) => id));
});

test('a stream without a cursor begins with the newest user message, and Last-Event-ID wins over the query', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one', 'two');
  const { length } = await log(server, path);
  expect(ids(await takeUntil(await fetch(`${server.url}${path}/stream`), isState))).toEqual([length - 1]);
  const headers = { 'last-event-id': `${length - 1}` };
  expect(ids(await takeUntil(await fetch(`${server.url}${path}/stream?after=-1`, { headers }), isState))).toEqual([]);
});

test('a stream that is not followed ends when everything was sent, and a HEAD request has no body', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one');
  const answer = await fetch(`${server.url}${path}/stream?after=-1&follow=false`);
  expect((await Array.fromAsync(sentEvents(answer))).map(({ name }) => name)).toEqual(['message', 'message', 'state']);
  const head = await fetch(`${server.url}${path}/stream`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('P11: a client that is cut off after any event and comes back gets each event once and in order', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one');
  const seen: unknown[] = [];
  const sending = (async () => {
    for (const text of ['two', 'three', 'four', 'five', 'six'])
      await server.call('POST', `${path}/events`, message(text));
  })();
  for (let cut = 1; seen.length < 6; cut = (cut % 3) + 1) {
    const answer = await fetch(`${server.url}${path}/stream?after=${seen.length - 1}`);
    const until = seen.length + cut;
    const events = await takeUntil(answer, ({ id }) => id !== undefined && (id + 1 >= until || id >= 5));
    seen.push(...ids(events));
  }
  await sending;
  expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
});

test('the stream sends pieces of an answer without ids, then the answer', async () => {
  const agent = new StreamingAgent(({ say }) => {
    say('Hel');
    say('lo');
    return 'Hello';
  });
  const server = await startServer({ agent });
  const path = await conversationOf(server);
  const answer = await fetch(`${server.url}${path}/stream?after=-1`);
  const taking = takeUntil(answer, ({ data }) => data['source'] === 'agent' && data['kind'] === 'MessageEvent');
  await server.call('POST', `${path}/events`, message('go', { run: true }));
  const events = (await taking).filter(({ name }) => name !== 'state');
  const pieces = events.filter(({ name }) => name === 'delta');
  expect(pieces.map(({ id, data }) => [id, data['content']])).toEqual([
    [undefined, 'Hel'],
    [undefined, 'lo'],
  ]);
  expect(pieces[0]?.data['item_id']).toBe(events.at(-1)?.data['id']);
});

test('a cursor beyond the end of the log is refused, by the stream and by waiting requests', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one');
  for (const route of ['stream', 'events/poll']) {
    const { status, body } = await server.call('GET', `${path}/${route}?after=99`);
    expect([status, body['detail']]).toEqual([409, expect.stringContaining('ask again without after')]);
    const unknown = await server.call('GET', `/api/conversations/${randomUUID()}/${route}`);
    expect(unknown.status).toBe(404);
  }
});

test('P11: a request waits for the next event, and lists what is there by pages', async () => {
  const server = await startServer();
  const path = await conversationOf(server, 'one', 'two', 'three');
  const { length } = await log(server, path);
  const page = await server.call<{ after: number; events: unknown[] }>('GET', `${path}/events/poll?after=-1&limit=2`);
  expect(page.body).toMatchObject({ after: 1, has_more: true, events: [{ seq: 0 }, { seq: 1 }] });
  const waiting = server.call('GET', `${path}/events/poll?after=${length - 1}&wait=60`);
  await server.call('POST', `${path}/events`, message('four'));
  expect((await waiting).body).toMatchObject({ after: length, has_more: false, events: [{ seq: length }] });
  const nothing = await server.call('GET', `${path}/events/poll?after=${length}&wait=0`);
  expect(nothing.body).toEqual({ after: length, has_more: false, events: [] });
});

test('a ticket opens one stream and nothing else, and a key in its place opens none', async () => {
  const server = await startServer({ sessionKeys: [KEY['x-session-api-key']] });
  const { body } = await server.call<{ ticket: string; expires_in: number }>(
    'POST',
    '/api/auth/stream-ticket',
    undefined,
    KEY,
  );
  expect(body.expires_in).toBe(60);
  const made = await server.call<{ id: string }>('POST', '/api/conversations', newConversation(server.folder), KEY);
  const address = `${server.url}/api/conversations/${made.body.id}/stream?after=-1&ticket=`;
  const open = async (ticket: string): Promise<number> => {
    const answer = await fetch(address + ticket);
    await answer.body?.cancel();
    return answer.status;
  };
  const { ticket } = body;
  expect((await server.call('POST', '/api/auth/session', { ticket })).status).toBe(401);
  expect((await server.call('GET', `/api/conversations/search?ticket=${ticket}`)).status).toBe(401);
  expect([await open(ticket), await open(ticket), await open(encodeURIComponent(KEY['x-session-api-key']))]).toEqual([
    200, 401, 401,
  ]);
  expect((await server.call('POST', '/api/auth/stream-ticket')).status).toBe(401);
});

test('a ticket of a stream is void after a minute', () => {
  let now = 0;
  const tickets = new SessionTickets({ monotonic: () => now }, STREAM_TICKETS);
  const ticket = tickets.issue('key');
  now = 60_000;
  expect(tickets.redeem(ticket)).toBeUndefined();
});

test('a holder of a key that takes many tickets takes none of others, and void tickets take no place', () => {
  let now = 0;
  const tickets = new SessionTickets({ monotonic: () => now }, { valid: 10, most: 3, mostOfKey: 2 });
  const other = tickets.issue('other');
  const [first = '', ...later] = ['key', 'key', 'key'].map((key) => tickets.issue(key));
  expect([first, ...later, other].map((ticket) => tickets.redeem(ticket))).toEqual([undefined, 'key', 'key', 'other']);
  for (let index = 0; index < 3; index++) tickets.issue(`holder ${index}`);
  now = 10;
  const kept = ['a', 'b', 'c'].map((key) => tickets.issue(key));
  expect(kept.map((ticket) => tickets.redeem(ticket))).toEqual(['a', 'b', 'c']);
});

test('a client that comes back with used tickets neither waits nor makes the holders of keys wait', async () => {
  // the wait behind wrong keys is a second, which a busy machine may need for the next request
  const platform = { ...systemPlatform, monotonic: () => 0 };
  const server = await startServer({ sessionKeys: [KEY['x-session-api-key']], platform });
  const made = await server.call<{ id: string }>('POST', '/api/conversations', newConversation(server.folder), KEY);
  const stream = `/api/conversations/${made.body.id}/stream?follow=false&ticket=`;
  const ticketOf = async (): Promise<string> =>
    (await server.call<{ ticket: string }>('POST', '/api/auth/stream-ticket', undefined, KEY)).body.ticket;
  const open = async (ticket: string): Promise<number> => {
    const answer = await fetch(`${server.url}${stream}${ticket}`);
    await answer.body?.cancel();
    return answer.status;
  };
  const ticket = await ticketOf();
  for (let index = 0; index < 25; index++) expect(await open(`used-${index}`)).toBe(401);
  expect((await server.call('GET', '/api/conversations/search', undefined, KEY)).status).toBe(200);
  for (let index = 0; index < 25; index++)
    await server.call('GET', '/api/conversations/search', undefined, { 'x-session-api-key': `wrong ${index}` });
  expect((await server.call('GET', '/api/conversations/search', undefined, KEY)).status).toBe(429);
  expect(await open(ticket)).toBe(200);
});

test.each([false, true])(
  'a request that waits is refused when its key is revoked, an event comes: %s',
  async (comes) => {
    const rights = { scopes: ['read', 'run', 'approve', 'admin'] } as const;
    const named = new Map(['key', 'other'].map((key) => [key, { name: key, ...rights }]));
    const shown = Promise.withResolvers<void>();
    const principal = (key: string): ReturnType<typeof named.get> => {
      if (key === 'key') shown.resolve();
      return named.get(key);
    };
    const server = await startServer({ principal });
    const [key, other] = ['key', 'other'].map((each) => ({ 'x-session-api-key': each }));
    const made = await server.call<{ id: string }>('POST', '/api/conversations', newConversation(server.folder), other);
    const path = `/api/conversations/${made.body.id}`;
    const waiting = server.call('GET', `${path}/events/poll?after=-1&wait=60`, undefined, key);
    await shown.promise;
    named.delete('key');
    if (comes) await server.call('POST', `${path}/events`, message('one'), other);
    expect((await waiting).status).toBe(401);
  },
);

test('a stream is cut off when its key is revoked, and ends when the server closes', async () => {
  const key = { 'x-session-api-key': 'key' };
  const ann = { name: 'ann', scopes: ['read', 'run', 'approve', 'admin'] } as const;
  const named = new Map([['key', ann]]);
  const server = await startServer({ principal: (shown) => named.get(shown) });
  const made = await server.call<{ id: string }>('POST', '/api/conversations', newConversation(server.folder), key);
  expect(made.status).toBe(201);
  const address = `${server.url}/api/conversations/${made.body.id}/stream?after=-1`;
  const opened = async (): Promise<AsyncGenerator<SentEvent>> => {
    const events = sentEvents(await fetch(address, { headers: key }));
    expect((await events.next()).value).toMatchObject({ name: 'state' });
    return events;
  };
  const streams = [await opened(), await opened()];
  named.delete('key');
  for (const stream of streams) await expect(Array.fromAsync(stream)).rejects.toThrow('terminated');
  named.set('key', ann);
  const last = await opened();
  await server.close();
  expect(await Array.fromAsync(last)).toEqual([]);
});
