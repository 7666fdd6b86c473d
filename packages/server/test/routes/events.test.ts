import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import type { Page } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { ended, events, message } from '../support/conversation-calls.ts';
import { startServer, type TestServer } from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

const call = (text: string): { calls: { name: string; arguments: { text: string } }[] } => ({
  calls: [{ name: 'echo', arguments: { text } }],
});

/** A conversation with some events of each kind. */
async function talked(): Promise<{ server: TestServer; id: string; all: readonly Event[] }> {
  const server = await startServer({ turns: [call('a'), call('b'), { text: 'Done with ÄPFEL' }], tools: [echoTool] });
  const { id } = await server.make({ initial_message: message('Count the apples') });
  await ended(server, id);
  return { server, id, all: await events(server, id) };
}

describe('events', () => {
  test('events are listed page by page in the order of the log and against it', async () => {
    const { server, id, all } = await talked();
    for (const order of ['TIMESTAMP', 'TIMESTAMP_DESC']) {
      const seen: string[] = [];
      let page: string | null = '';
      while (page !== null) {
        const at: string = page === '' ? '' : `&page_id=${page}`;
        const path = `/api/conversations/${id}/events/search?limit=2&sort_order=${order}${at}`;
        const { body } = await server.call<Page<Event>>('GET', path);
        expect(page === '' || body.items[0]?.id === page).toBe(true);
        seen.push(...body.items.map((event) => event.id));
        page = body.next_page_id;
      }
      const ids = all.map((event) => event.id);
      expect(seen).toEqual(order === 'TIMESTAMP' ? ids : ids.toReversed());
    }
  });

  test('a page that begins nowhere is the first one, against the order of the log, too', async () => {
    const { server, id, all } = await talked();
    for (const [order, first] of [
      ['TIMESTAMP', all[0]],
      ['TIMESTAMP_DESC', all.at(-1)],
    ] as const) {
      const path = `/api/conversations/${id}/events/search?limit=1&sort_order=${order}&page_id=${randomUUID()}`;
      const { status, body } = await server.call<Page<Event>>('GET', path);
      expect([status, body.items.map((event) => event.id)]).toEqual([200, [first?.id]]);
    }
  });

  test.each([
    ['POST', '', []],
    ['POST', '/respond_to_confirmation', {}],
    ['GET', '/search?limit=0', undefined],
    ['GET', '/count?timestamp__lt=x', undefined],
  ])('%s …/events%s of an unknown conversation is refused for that, also with a wrong request', async (...asked) => {
    const server = await startServer();
    const [method, path, body] = asked;
    const id = randomUUID();
    const answer = await server.call(method, `/api/conversations/${id}/events${path}`, body);
    expect(answer).toMatchObject({ status: 404, body: { detail: `Conversation not found: ${id}` } });
    const { id: known } = await server.make();
    expect((await server.call(method, `/api/conversations/${known}/events${path}`, body)).status).toBe(422);
    expect((await server.call(method, `/api/conversations/not-an-id/events${path}`, body)).status).toBe(422);
  });

  test('events are found by kind, short or dotted, by source, by words and by time', async () => {
    const { server, id, all } = await talked();
    const found = async (query: string): Promise<readonly string[]> =>
      (await events(server, id, query)).map((event) => event.id);
    const where = (fits: (event: Event, at: number) => boolean): readonly string[] =>
      all.filter(fits).map((event) => event.id);
    const actions = where(({ kind }) => kind === 'ActionEvent');
    expect(actions).toHaveLength(2);
    expect(await found('?kind=ActionEvent')).toEqual(actions);
    expect(await found('?kind=openhands.sdk.event.llm_convertible.action.ActionEvent')).toEqual(actions);
    expect(await found('?kind=NoSuchEvent')).toEqual([]);
    expect(await found('?source=user')).toEqual(where(({ source }) => source === 'user'));
    expect(await found('?body=APPLES')).toEqual(where(({ source }) => source === 'user'));
    expect(await found(`?body=${encodeURIComponent('äpfel')}`)).toEqual([all.at(-1)?.id]);
    const middle = all[3] as Event;
    expect(await found(`?timestamp__gte=${middle.timestamp}`)).toEqual(where((_, at) => at >= 3));
    expect(await found(`?timestamp__lt=${middle.timestamp}`)).toEqual(where((_, at) => at < 3));
    const { body: count } = await server.call<number>('GET', `/api/conversations/${id}/events/count?kind=ActionEvent`);
    expect(count).toBe(2);
    expect((await server.call<number>('GET', `/api/conversations/${id}/events/count`)).body).toBe(all.length);
  });

  test('events are found by a text in what people and the model read of them', async () => {
    const { server, id, all } = await talked();
    const action = all.find((event) => isEvent(event, 'ActionEvent'));
    if (!action || !isEvent(action, 'ActionEvent')) throw new Error('a call is there');
    const [words] = Object.values(JSON.parse(action.tool_call.arguments) as Record<string, string>);
    const query = `?text=${encodeURIComponent((words ?? '').toUpperCase())}`;
    const found = await events(server, id, query);
    expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ActionEvent', 'ObservationEvent']));
    const { body: count } = await server.call<number>('GET', `/api/conversations/${id}/events/count${query}`);
    expect(count).toBe(found.length);
    expect(await events(server, id, '?text=no-such-words')).toEqual([]);
  });

  test('events are got one by one, and together in the order asked for, null where there is none', async () => {
    const { server, id, all } = await talked();
    const [first, second] = all as [Event, Event];
    const at = `/api/conversations/${id}/events`;
    expect((await server.call<Event>('GET', `${at}/${first.id}`)).body).toEqual(first);
    expect((await server.call<Event>('GET', `${at}/${randomUUID()}`)).status).toBe(404);
    const ids = [second.id, 'nothing', first.id];
    const inBody = await server.call<readonly (Event | null)[]>('GET', at, ids);
    expect(inBody.body.map((event) => event?.id ?? null)).toEqual([second.id, null, first.id]);
    const inQuery = await server.call<readonly (Event | null)[]>(
      'GET',
      `${at}?${ids.map((each) => `ids=${each}`).join('&')}`,
    );
    expect(inQuery.body).toEqual(inBody.body);
  });

  test.each([
    ['a limit of 101 is refused with 422', '/search?limit=101', 422],
    ['a limit of no number is refused with 422', '/search?limit=many', 422],
    ['an order that is none is refused with 422', '/search?sort_order=RANDOM', 422],
    ['a time that is none is refused with 422', '/search?timestamp__gte=yesterday', 422],
  ])('%s', async (_name, path, status) => {
    const server = await startServer();
    const { id } = await server.make();
    const answer = await server.call('GET', `/api/conversations/${id}/events${path}`);
    expect(answer.status).toBe(status);
    expect(answer.body['detail']).toBeTruthy();
  });
});

describe('a message', () => {
  test.each([
    ['of the assistant', { role: 'assistant', content: [] }],
    ['of the system', { role: 'system', content: [] }],
    ['with content of no kind', { role: 'user', content: [{ type: 'song' }] }],
    ['that is no object', 'hello'],
  ])('P13: a message %s is refused with 422 and nothing is stored', async (_name, body) => {
    const server = await startServer();
    const { id } = await server.make();
    const answer = await server.call('POST', `/api/conversations/${id}/events`, body);
    expect(answer.status).toBe(422);
    expect(await events(server, id)).toEqual([]);
  });

  test('P12: a message that is larger than an event may be is refused with 413, and nothing is stored', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const answer = await server.call('POST', `/api/conversations/${id}/events`, message('x'.repeat(2_000_000)));
    expect(answer.status).toBe(413);
    expect(await events(server, id)).toEqual([]);
  });

  test('a message that is repeated with its key is sent once, by a restarted server too', async () => {
    const server = await startServer({ turns: [{ text: 'one answer' }, { text: 'too many' }] });
    const { id } = await server.make();
    const send = (to: TestServer, key: string): ReturnType<TestServer['call']> =>
      to.call('POST', `/api/conversations/${id}/events`, message('once', { run: true }), { 'Idempotency-Key': key });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(server, 'k')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await ended(server, id);
    await send(server, 'k');
    expect(server.agents.requests()).toBe(1);
    await server.close();
    const next = await startServer({ store: server.store, turns: [{ text: 'second' }] });
    expect((await send(next, 'k')).body).toEqual({ success: true });
    expect(await events(next, id, '?source=user')).toHaveLength(1);
    expect(next.agents.requests()).toBe(0);
    await send(next, 'another');
    expect(await events(next, id, '?source=user')).toHaveLength(2);
    await ended(next, id);
  });

  test('a message whose key is an id has that id, so that its sender finds it among those of others', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const key = '0b4a1d5e-5f0a-4f5e-9d2b-7f3c1a2b3c4d';
    for (const given of [key, 'no-id'])
      await server.call('POST', `/api/conversations/${id}/events`, message(given), { 'idempotency-key': given });
    const answer = await server.call<{ items: { id: string; source: string }[] }>(
      'GET',
      `/api/conversations/${id}/events/search?source=user`,
    );
    const [named, other] = answer.body.items.map((event) => event.id);
    expect(named).toBe(key);
    expect(other).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('another message under a used key is refused with 422 that names the key, after a restart too', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const send = (to: TestServer, key: string, body: JsonObject): ReturnType<TestServer['call']> =>
      to.call('POST', `/api/conversations/${id}/events`, body, { 'idempotency-key': key });
    const keys = ['k', '0b4a1d5e-5f0a-4f5e-9d2b-7f3c1a2b3c4d'];
    for (const key of keys) await send(server, key, message('once'));
    await server.close();
    const next = await startServer({ store: server.store });
    for (const key of keys) {
      for (const other of [message('twice'), { ...message('once'), sender: 'somebody' }]) {
        const refused = await send(next, key, other);
        expect([refused.status, refused.body]).toEqual([422, { detail: expect.stringContaining(`"${key}"`) }]);
      }
      expect((await send(next, key, message('once'))).status).toBe(200);
    }
    expect(await events(next, id, '?source=user')).toHaveLength(2);
  });

  test('a message with a key that is too long is refused', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const headers = { 'idempotency-key': 'k'.repeat(201) };
    expect((await server.call('POST', `/api/conversations/${id}/events`, message('hi'), headers)).status).toBe(422);
  });
});
