import { createHmac } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { MemoryStore, type Journal } from '@conv/core/store';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { WrappingStore, type JournalChanges, type ReceivedWebhook, type WebhookReceiver } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { ended, events, message } from '../support/conversation-calls.ts';
import { until, type TestServer } from '../support/test-server.ts';
import { hookedServer, SECRET, startReceiver } from './hooked-server.ts';

/** Runs a conversation to its end. Resolves with its id. */
async function run(server: TestServer, more: JsonObject = {}): Promise<string> {
  const { id } = await server.make({ initial_message: message('hello'), ...more });
  await ended(server, id);
  return id;
}

async function runAgain(server: TestServer, id: string, text: string): Promise<void> {
  expect((await server.call('POST', `/api/conversations/${id}/events`, message(text, { run: true }))).status).toBe(200);
  await until(async () => (await server.info(id)).execution_status === 'finished');
}

function dataOf({ body }: ReceivedWebhook): JsonObject {
  return JSON.parse(body) as JsonObject;
}

/** The events of a conversation that were taken, each once, in the order of their first delivery. */
function toldOf(receiver: WebhookReceiver, id: string): readonly unknown[] {
  const told = new Map(receiver.taken.map((one) => [one.id, dataOf(one)]));
  return [...told.values()]
    .filter(({ source, type }) => source === `/api/conversations/${id}` && type !== 'conv.state')
    .map(({ data }) => data);
}

/** Waits until a receiver has taken the final state of a conversation. */
function finished(receiver: WebhookReceiver, id: string, times = 1): Promise<unknown> {
  return receiver.until(() => {
    const states = receiver.taken.filter((one) => one.body.includes('"type":"conv.state"') && one.body.includes(id));
    return states.filter((one) => dataOf(one)['subject'] === 'finished').length >= times;
  });
}

/** Expects that a receiver got exactly the log, in its order, and that each request came again before a later one. */
async function expectInOrder(receiver: WebhookReceiver, server: TestServer, id: string): Promise<void> {
  expect(toldOf(receiver, id)).toEqual(await events(server, id));
  const sequences = receiver.received
    .map(dataOf)
    .filter(({ source, sequence }) => source === `/api/conversations/${id}` && sequence !== undefined)
    .map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
}

test('P1: a receiver gets every event once, in order, as signed CloudEvents, and then the status', async () => {
  const receiver = await startReceiver();
  const server = await hookedServer({ receiver, webhook: { headers: { Authorization: 'Bearer mine' } } });
  const id = await run(server);
  await finished(receiver, id);
  await expectInOrder(receiver, server, id);
  const all = receiver.received;
  expect(new Set(all.map((one) => one.id)).size).toBe(all.length);
  for (const { headers, body, path } of all) {
    const { 'webhook-id': webhookId, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
    const key = Buffer.from(SECRET.slice(6), 'base64');
    const signed = createHmac('sha256', key)
      .update(`${String(webhookId)}.${String(timestamp)}.${body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${signed}`);
    expect([path, headers.authorization, headers['content-type']]).toEqual([
      '/hook',
      'Bearer mine',
      'application/cloudevents+json; charset=utf-8',
    ]);
  }
  const [first] = await events(server, id);
  expect(dataOf(all[0]!)).toEqual({
    specversion: '1.0',
    id: `${id.replaceAll('-', '')}-0`,
    source: `/api/conversations/${id}`,
    type: `conv.event.${first?.kind}`,
    subject: first?.id,
    time: new Date(first?.timestamp ?? '').toISOString(),
    sequence: '0000000000',
    datacontenttype: 'application/json',
    data: first,
  });
});

test.each(['lost', 500, 404, 301, 503] as const)(
  'P1: a request that ends as %s comes again with the same id and body, before any later event',
  async (failure) => {
    const receiver = await startReceiver();
    receiver.answer = (_, earlier) => (earlier < 2 ? failure : 200);
    const server = await hookedServer({ receiver });
    const id = await run(server);
    await finished(receiver, id);
    await expectInOrder(receiver, server, id);
    const events = receiver.received.filter((one) => dataOf(one)['type'] !== 'conv.state');
    const bodies = Map.groupBy(events, (one) => one.id);
    for (const repeated of bodies.values()) expect(new Set(repeated.map(({ body }) => body)).size).toBe(1);
    expect([...bodies.values()].every((repeated) => repeated.length === 3)).toBe(true);
    expect(server.reported.length).toBeGreaterThan(0);
    expect(server.reported.every(({ doing }) => doing === 'telling the webhook hook')).toBe(true);
  },
);

test.each(['cloudevents', 'openhands'] as const)(
  'P1: the end of a run has another id than an earlier end whose answer was lost, as %s',
  async (format) => {
    const receiver = await startReceiver();
    const isState = ({ path, body }: ReceivedWebhook): boolean =>
      path.endsWith('/conversations') || body.includes('"type":"conv.state"');
    const isEnd = (one: ReceivedWebhook): boolean => isState(one) && one.body.includes('"execution_status":"finished"');
    let isLosing = false;
    receiver.answer = (one) => {
      isLosing ||= isEnd(one);
      return isLosing && isState(one) ? 'lost' : 200;
    };
    const server = await hookedServer({ receiver, webhook: { format } });
    const id = await run(server);
    await receiver.until(() => receiver.received.some(isEnd));
    await runAgain(server, id, 'second question');
    const [first, second] = await receiver.until(() => {
      const { received } = receiver;
      const next = received.findIndex((one) => !isState(one) && one.body.includes('second question'));
      const later = received.slice(next).filter(isEnd);
      return next !== -1 && later.length > 0 && [received.slice(0, next).filter(isEnd), later];
    });
    expect(first?.length).toBeGreaterThan(0);
    expect(first?.filter((one) => second?.some((other) => other.id === one.id))).toEqual([]);
  },
);

test('a redirect is not followed', async () => {
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
  receiver.answer = (_, earlier) => (earlier === 0 ? { status: 307, headers: { location: elsewhere.url } } : 200);
  const hosts = [`127.0.0.1:${receiver.port}`, `127.0.0.1:${elsewhere.port}`];
  const server = await hookedServer({ receiver, webhooks: { hosts } });
  await finished(receiver, await run(server));
  expect(elsewhere.received).toEqual([]);
  expect(String(server.reported[0]?.error)).toContain('redirects are not followed');
});

test('a receiver in a private network is not reached unless it is listed', async () => {
  const receiver = await startReceiver();
  const server = await hookedServer({ receiver, webhooks: { hosts: [] } });
  await run(server);
  const { error } = await until(async () => server.reported[0]);
  expect(String(error)).toContain('List the host with its port');
  expect(receiver.received).toEqual([]);
});

test('conversations go on while a receiver never answers, and it catches up when it is back', async () => {
  const receiver = await startReceiver();
  receiver.answer = () => 'never';
  const server = await hookedServer({ receiver, webhook: { timeout: 500 } });
  const ids = [await run(server), await run(server), await run(server)];
  await runAgain(server, ids[0]!, 'more');
  await receiver.until(() => receiver.received.length > 3);
  expect(receiver.taken).toEqual([]);
  receiver.answer = () => 200;
  for (const id of ids) {
    await finished(receiver, id);
    expect(toldOf(receiver, id)).toEqual(await events(server, id));
  }
});

test('a receiver that refuses one conversation is told of all others', async () => {
  const receiver = await startReceiver();
  const server = await hookedServer({ receiver });
  const { id: refused } = await server.make({ title: 'refused' });
  receiver.answer = ({ body }) => (body.includes(refused) ? 400 : 200);
  await runAgain(server, refused, 'hello');
  const id = await run(server);
  await finished(receiver, id);
  expect(toldOf(receiver, refused)).toEqual([]);
  receiver.answer = () => 200;
  await finished(receiver, refused);
  await expectInOrder(receiver, server, refused);
});

test('P5: the next server sends what a server left, from the position on', async () => {
  const receiver = await startReceiver();
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  receiver.answer = (one) => (Number(dataOf(one)['sequence'] ?? 9) < 2 ? 200 : 500);
  const first = await hookedServer({ receiver, store, registry });
  const id = await run(first);
  await receiver.until(() => receiver.received.some((one) => dataOf(one)['sequence'] === '0000000002'));
  await first.close();
  const before = receiver.taken.map((one) => one.id);
  receiver.answer = () => 200;
  const second = await hookedServer({ receiver, store, registry });
  await finished(receiver, id);
  await expectInOrder(receiver, second, id);
  const after = receiver.taken.map((one) => one.id);
  expect(new Set(after).size).toBe(after.length);
  expect(after.slice(0, before.length)).toEqual(before);
});

test('P5: the claim of a server that was killed in the middle of a request is void after a while', async () => {
  const receiver = await startReceiver();
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const first = await hookedServer({ receiver, store, registry });
  const id = await run(first);
  await finished(receiver, id);
  await first.close();
  const name = `hook/${id.replaceAll('-', '')}`;
  const entry = (await registry.get('webhooks', name))!;
  // as it stands when a server is killed
  const left = { ...(entry.value as JsonObject), event: 1, state: null, holder: 'killed' };
  await registry.put('webhooks', name, left, { expected: entry.version });
  receiver.taken.length = 0;
  const second = await hookedServer({ receiver, store, registry, webhook: { timeout: 500 } });
  await runAgain(second, id, 'more');
  await finished(receiver, id);
  expect(toldOf(receiver, id)).toEqual((await events(second, id)).slice(1));
});

test('several servers on a store tell a receiver each event once', async () => {
  const receiver = await startReceiver();
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const first = await hookedServer({ receiver, store, registry });
  const others = [await hookedServer({ receiver, store, registry }), await hookedServer({ receiver, store, registry })];
  const ids = await Promise.all(Array.from({ length: 5 }, () => run(first)));
  for (const id of ids) {
    await finished(receiver, id);
    await expectInOrder(receiver, first, id);
  }
  expect(new Set(receiver.taken.map((one) => one.id)).size).toBe(receiver.taken.length);
  expect([first, ...others].flatMap(({ reported }) => reported)).toEqual([]);
});

test('a new webhook is told what happens from then on', async () => {
  const receiver = await startReceiver();
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const first = await hookedServer({ receiver, store, webhooks: { endpoints: [] } });
  const [quiet, id] = [await run(first), await run(first)];
  const before = (await events(first, id)).length;
  await first.close();
  const second = await hookedServer({ receiver, store, registry });
  await until(async () => registry.get('webhooks', 'hook'));
  await runAgain(second, id, 'more');
  await finished(receiver, id);
  expect(toldOf(receiver, id)).toEqual((await events(second, id)).slice(before));
  expect(receiver.received.filter(({ body }) => body.includes(quiet))).toEqual([]);
});

test('the position of a conversation is removed when the conversation is deleted', async () => {
  const receiver = await startReceiver();
  const registry = new MemoryRegistry();
  const server = await hookedServer({ receiver, registry });
  const [id, other] = [await run(server), await run(server)];
  await finished(receiver, id);
  await finished(receiver, other);
  expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
  const left = await until(async () => {
    const marks = await registry.marks('webhooks');
    return marks.size === 2 && marks;
  });
  expect([...left.keys()].toSorted()).toEqual(['hook', `hook/${other.replaceAll('-', '')}`]);
});

test('the position of a deleted conversation is removed, also at the next start', async () => {
  const receiver = await startReceiver();
  const [store, registry] = [new MemoryStore(), new MemoryRegistry()];
  const first = await hookedServer({ receiver, store, registry });
  const id = await run(first);
  await finished(receiver, id);
  await first.close();
  await store.delete(id);
  await hookedServer({ receiver, store, registry });
  const left = await until(async () => {
    const marks = await registry.marks('webhooks');
    return marks.size === 1 && marks;
  });
  expect([...left.keys()]).toEqual(['hook']);
});

/** A store that tells when a conversation is unloaded. */
class WatchedStore extends WrappingStore {
  readonly unloaded = Promise.withResolvers<void>();

  protected override changes(journal: Journal): JournalChanges {
    return {
      close: () => async () => {
        await journal.close();
        this.unloaded.resolve();
      },
    };
  }
}

test('a conversation of which a receiver is not told is unloaded when it is idle', async () => {
  const receiver = await startReceiver();
  receiver.answer = () => 400;
  const store = new WatchedStore();
  const server = await hookedServer({ receiver, store, idleTimeout: 1000 });
  const { id } = await server.make({ initial_message: message('hello') });
  await store.unloaded.promise;
  receiver.answer = () => 200;
  await finished(receiver, id);
  await expectInOrder(receiver, server, id);
});
