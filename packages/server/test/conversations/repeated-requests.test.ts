import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { MemoryStore, StoreError, type ConversationStore, type Journal } from '@conv/core/store';
import type { ConversationInfo } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { ended, kinds, message } from '../support/conversation-calls.ts';
import { newConversation, startServer, type Answer, type TestServer } from '../support/test-server.ts';

const header = { 'idempotency-key': 'k1' };

const start = (server: TestServer, body: JsonObject): Promise<Answer<ConversationInfo>> =>
  server.call<ConversationInfo>('POST', '/api/conversations', body, header);

const count = async (server: TestServer): Promise<number> =>
  (await server.call<number>('GET', '/api/conversations/count')).body;

/** A store in which conversations can be made and no event can be stored, until it is mended. */
function withoutEvents(): { readonly store: ConversationStore; readonly mend: () => void } {
  let broken = true;
  const inner = new MemoryStore();
  const open: ConversationStore['open'] = async (...given) => {
    const journal = await inner.open(...given);
    const append: Journal['append'] = async (commit, fields) => {
      if (broken && commit.events.length > 0) throw new StoreError('UNAVAILABLE', 'the disk is away');
      return journal.append(commit, fields);
    };
    return instead(journal, { append });
  };
  return { store: instead<ConversationStore>(inner, { open }), mend: () => void (broken = false) };
}

function instead<T extends object>(object: T, members: Partial<T>): T {
  const get = (_: T, name: string | symbol): unknown => {
    const value: unknown = Reflect.get(members, name) ?? Reflect.get(object, name, object);
    return typeof value === 'function' ? (value.bind(object) as unknown) : value;
  };
  return new Proxy(object, { get });
}

describe('a conversation that is started with a key', () => {
  test('another request with a used key gets 422 that names the key, from a restarted server too', async () => {
    const server = await startServer();
    const body = { ...newConversation(server.folder), tags: { a: 'first' } };
    const first = await start(server, body);
    const other = { ...body, tags: { a: 'second' } };
    const refused = await start(server, other);
    expect([refused.status, refused.body]).toEqual([422, { detail: expect.stringContaining('"k1"') }]);
    await server.close();
    const next = await startServer({ store: server.store });
    expect((await start(next, other)).status).toBe(422);
    const again = await start(next, body);
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    expect(await count(next)).toBe(1);
  });

  test('a repeated request is compared by what its body says, in any order, and not by its secrets', async () => {
    const server = await startServer();
    const body = newConversation(server.folder);
    const first = await start(server, body);
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    expect((await start(server, turned)).body.id).toBe(first.body.id);
    const llm = { ...((body['agent'] as JsonObject)['llm'] as JsonObject), api_key: 'sk-another-0123456789' };
    const rekeyed = { ...body, agent: { ...(body['agent'] as JsonObject), llm } };
    expect((await start(server, rekeyed)).body.id).toBe(first.body.id);
  });

  test('a repeated request with its own id is compared, too; another key gets the stored conversation', async () => {
    const server = await startServer();
    const body = { ...newConversation(server.folder), conversation_id: randomUUID() };
    expect((await start(server, body)).status).toBe(201);
    const other = { ...body, max_iterations: 7 };
    expect((await start(server, other)).status).toBe(422);
    for (const headers of [{}, { 'idempotency-key': 'k2' }]) {
      const answer = await server.call<ConversationInfo>('POST', '/api/conversations', other, headers);
      expect([answer.status, answer.body.max_iterations]).toEqual([200, 500]);
    }
  });

  test('two simultaneous requests with one key and two bodies get one conversation and one refusal', async () => {
    const server = await startServer();
    const bodies = ['first', 'second'].map((a) => ({ ...newConversation(server.folder), tags: { a } }));
    const answers = await Promise.all(bodies.map((body) => start(server, body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
    expect(await count(server)).toBe(1);
  });

  test('many simultaneous requests with one key say the first message once, and run once', async () => {
    const server = await startServer({ turns: [{ text: 'one answer' }, { text: 'too many' }] });
    const body = { ...newConversation(server.folder), initial_message: message('hi') };
    const answers = await Promise.all(Array.from({ length: 6 }, () => start(server, body)));
    const [{ id }] = answers.map((answer) => answer.body) as [ConversationInfo];
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    await ended(server, id);
    await start(server, body);
    expect(await kinds(server, id)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
    expect(server.agents.requests()).toBe(1);
  });

  test('the same request finishes a start whose server ended before the first message', async () => {
    const { store, mend } = withoutEvents();
    const server = await startServer({ store, turns: [{ text: 'an answer' }] });
    const body = { ...newConversation(server.folder), initial_message: message('hi') };
    expect((await start(server, body)).status).toBe(503);
    mend();
    const again = await start(server, body);
    expect(again.status).toBe(200);
    await ended(server, again.body.id);
    expect(await kinds(server, again.body.id)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
  });

  test('a started conversation keeps nothing of the request in the record of its key', async () => {
    const server = await startServer();
    const { body } = await start(server, newConversation(server.folder));
    const { body: kept } = await server.call('GET', `/api/conversations/${body.id}/state`);
    expect(JSON.stringify(kept)).toMatch(/"made_by_request":\{"key":"[0-9a-f]{64}","request":"[0-9a-f]{64}"\}/);
  });
});

describe('a fork with a key', () => {
  const fork = (server: TestServer, id: string, body?: JsonObject): Promise<Answer<ConversationInfo>> =>
    server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, body, header);

  test('a fork with a repeated key is made once, by a restarted server and without its source too', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const answers = await Promise.all(Array.from({ length: 4 }, () => fork(server, id, { title: 'Copy' })));
    expect(answers.map(({ status }) => status)).not.toContainEqual(expect.toSatisfy((status: number) => status > 201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await server.close();
    const next = await startServer({ store: server.store });
    await next.call('DELETE', `/api/conversations/${id}`);
    const again = await fork(next, id, { title: 'Copy' });
    expect([again.status, again.body.id, again.body.title]).toEqual([200, answers[0]?.body.id, 'Copy']);
    expect(await count(next)).toBe(1);
  });

  test('a fork with a used key and another body is refused with 422 that names the key', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const first = await fork(server, id);
    expect(first.status).toBe(201);
    for (const other of [{ title: 'Copy' }, { reset_metrics: false }, { tags: { a: '1' } }]) {
      const refused = await fork(server, id, other);
      expect([refused.status, refused.body]).toEqual([422, { detail: expect.stringContaining('"k1"') }]);
    }
    expect((await fork(server, id)).body.id).toBe(first.body.id);
    expect(await count(server)).toBe(2);
  });

  test('a fork of another source with the same key is another fork', async () => {
    const server = await startServer();
    const [one, two] = [await server.make(), await server.make()];
    const forks = [await fork(server, one.id), await fork(server, two.id)];
    expect(forks.map(({ status, body }) => [status, body.forked_from_conversation_id])).toEqual([
      [201, one.id],
      [201, two.id],
    ]);
    const deeper = await fork(server, (forks[0] as Answer<ConversationInfo>).body.id);
    expect(deeper.status).toBe(201);
  });

  test('a repeated fork with an id of its own is answered again, and 409 when something else has the id', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const body = { id: randomUUID() };
    const answers = [await fork(server, id, body), await fork(server, id, body)];
    expect(answers.map((answer) => [answer.status, answer.body.id])).toEqual([
      [201, body.id],
      [200, body.id],
    ]);
    expect((await fork(server, id, { id })).status).toBe(409);
    expect((await server.call('POST', `/api/conversations/${id}/fork`, body)).status).toBe(409);
  });
});
