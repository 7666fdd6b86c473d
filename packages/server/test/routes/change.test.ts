import type { Event } from '@conv/core/events';
import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { ended, kinds, message } from '../support/conversation-calls.ts';
import { startServer } from '../support/test-server.ts';

describe('changing a conversation', () => {
  test('a change sets title and tags, and leaves what is null or absent', async () => {
    const server = await startServer();
    const { id } = await server.make({ tags: { a: '1' } });
    expect((await server.call('PATCH', `/api/conversations/${id}`, { title: 'New' })).body).toEqual({ success: true });
    expect(await server.info(id)).toMatchObject({ title: 'New', tags: { a: '1' } });
    await server.call('PATCH', `/api/conversations/${id}`, { title: null, tags: { b: '2' } });
    expect(await server.info(id)).toMatchObject({ title: 'New', tags: { b: '2' } });
    for (const title of ['', '  ', '\n'])
      expect(await server.call('PATCH', `/api/conversations/${id}`, { title })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'title'] }] },
      });
    await server.call('PATCH', `/api/conversations/${id}`, { title: '  Trimmed  ' });
    expect((await server.info(id)).title).toBe('Trimmed');
  });

  test('a conversation is deleted once, and then it is not there, nor in the list', async () => {
    const server = await startServer();
    const { id } = await server.make();
    expect((await server.call('DELETE', `/api/conversations/${id}`)).body).toEqual({ success: true });
    expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(404);
    expect((await server.call('GET', `/api/conversations/${id}`)).status).toBe(404);
    expect((await server.call<number>('GET', '/api/conversations/count')).body).toBe(0);
    await server.make({ conversation_id: id });
  });

  test('a fork has a title without the blanks around it, and blanks alone are refused with the place', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const fork = (title: string) => server.call('POST', `/api/conversations/${id}/fork`, { title });
    for (const title of ['   ', '\n'])
      expect(await fork(title)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'title'] }] } });
    expect(await fork(' The fork ')).toMatchObject({ status: 201, body: { title: 'The fork' } });
    expect(await fork('')).toMatchObject({ status: 201, body: { title: null } });
  });

  test('a fork is whole or up to an event, and says where from', async () => {
    const server = await startServer({ turns: [{ text: 'one' }, { text: 'two' }] });
    const { id } = await server.make({ initial_message: message('hi') });
    await ended(server, id);
    const whole = await server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`);
    expect(whole.status).toBe(201);
    expect(whole.body).toMatchObject({ forked_from_conversation_id: id, forked_from_event_id: null });
    expect(await kinds(server, whole.body.id)).toEqual(await kinds(server, id));
    const { body: page } = await server.call<Page<Event>>('GET', `/api/conversations/${id}/events/search`);
    const from = page.items[1]?.id;
    const part = await server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, {
      from_event_id: from,
      title: 'Part',
      tags: { part: 'yes' },
    });
    const expected = { forked_from_event_id: from, title: 'Part', leaf_event_id: from, tags: { part: 'yes' } };
    expect(part.body).toMatchObject(expected);
    const taken = await server.call('POST', `/api/conversations/${id}/fork`, { id: part.body.id });
    expect(taken.status).toBe(409);
    const unknown = await server.call('POST', `/api/conversations/${id}/fork`, { from_event_id: 'nothing' });
    expect([unknown.status, unknown.body['detail']]).toEqual([404, 'Unknown from_event_id: nothing']);
  });

  test('a conversation goes on from another event', async () => {
    const server = await startServer({ turns: [{ text: 'one' }] });
    const { id } = await server.make({ initial_message: message('hi') });
    await ended(server, id);
    const { body: page } = await server.call<Page<Event>>('GET', `/api/conversations/${id}/events/search`);
    const to = page.items[1]?.id;
    const moved = await server.call<ConversationInfo>('POST', `/api/conversations/${id}/navigate`, { event_id: to });
    expect(moved.body).toMatchObject({ leaf_event_id: to, execution_status: 'idle' });
    const unknown = await server.call('POST', `/api/conversations/${id}/navigate`, { event_id: 'nothing' });
    expect([unknown.status, unknown.body['detail']]).toEqual([404, 'Unknown event_id: nothing']);
  });
});
