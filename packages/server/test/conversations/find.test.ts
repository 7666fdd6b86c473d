import { randomUUID } from 'node:crypto';

import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { ended, message } from '../support/conversation-calls.ts';
import { startServer } from '../support/test-server.ts';

describe('finding conversations', () => {
  test('a search page by page, in each order, sees each conversation once', async () => {
    const server = await startServer();
    const made: string[] = [];
    for (let at = 0; at < 7; at++) made.push((await server.make()).id);
    for (const order of ['CREATED_AT', 'CREATED_AT_DESC', 'UPDATED_AT', 'UPDATED_AT_DESC']) {
      const seen: string[] = [];
      let page: string | null = '';
      while (page !== null) {
        const at: string = page === '' ? '' : `&page_id=${page}`;
        const found = await server.call<Page<ConversationInfo>>(
          'GET',
          `/api/conversations/search?limit=3&sort_order=${order}${at}`,
        );
        expect(found.status).toBe(200);
        seen.push(...found.body.items.map(({ id }) => id));
        page = found.body.next_page_id;
      }
      expect(seen.toSorted()).toEqual(made.toSorted());
    }
  });

  test('a search by status counts and lists the matching conversations alone', async () => {
    const server = await startServer({ turns: [{ text: 'done' }] });
    await server.make();
    const { id } = await server.make({ initial_message: message('hi') });
    await ended(server, id);
    const found = await server.call<Page<ConversationInfo>>('GET', '/api/conversations/search?status=finished');
    expect(found.body.items.map((info) => info.id)).toEqual([id]);
    expect((await server.call<number>('GET', '/api/conversations/count?status=finished')).body).toBe(1);
    expect((await server.call<number>('GET', '/api/conversations/count')).body).toBe(2);
  });

  test('a search by ids keeps their order, and has null for a missing conversation', async () => {
    const server = await startServer();
    const [one, two] = [await server.make(), await server.make()];
    const path = `/api/conversations?ids=${two.id}&ids=${randomUUID()}&ids=${one.id.replaceAll('-', '')}`;
    const { body } = await server.call<readonly (ConversationInfo | null)[]>('GET', path);
    expect(body.map((info) => info?.id ?? null)).toEqual([two.id, null, one.id]);
    const { body: single } = await server.call<readonly unknown[]>('GET', `/api/conversations?ids=${one.id}`);
    expect(single).toHaveLength(1);
  });

  test.each([
    ['a limit of 101 is refused with 422', '/api/conversations/search?limit=101', 422],
    ['a limit of 0 is refused with 422', '/api/conversations/search?limit=0', 422],
    ['more than 100 ids are refused with 422', `/api/conversations?${`ids=${randomUUID()}&`.repeat(101)}`, 422],
    ['no ids are refused with 422', '/api/conversations', 422],
    ['a status that is none is refused with 422', '/api/conversations/search?status=sleeping', 422],
    ['an id that is none is refused with 422', '/api/conversations/not-a-uuid', 422],
  ])('%s', async (_name, path, status) => {
    const server = await startServer();
    expect((await server.call('GET', path)).status).toBe(status);
  });

  test('a page that begins nowhere is the first one', async () => {
    const server = await startServer();
    const { id } = await server.make();
    const path = '/api/conversations/search?page_id=0123456789abcdef';
    const { status, body } = await server.call<{ readonly items: readonly ConversationInfo[] }>('GET', path);
    expect([status, body.items.map((info) => info.id)]).toEqual([200, [id]]);
  });

  test('a missing conversation is refused in the words of its route', async () => {
    const server = await startServer();
    const id = randomUUID();
    const at = `/api/conversations/${id}`;
    const missed = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const answer = await server.call(method, `${at}${path}`, body);
      expect(answer.status).toBe(404);
      return answer.body['detail'];
    };
    expect(await missed('GET', '')).toBe('Not Found');
    expect(await missed('PATCH', '', { title: 'x' })).toBe('Not Found');
    expect(await missed('DELETE', '')).toBe('Not Found');
    expect(await missed('POST', '/run')).toBe('Not Found');
    expect(await missed('POST', '/pause')).toBe('Not Found');
    expect(await missed('POST', '/interrupt')).toBe('Not Found');
    expect(await missed('POST', '/ask_agent', { question: 'why?' })).toBe('Not Found');
    expect(await missed('POST', '/condense')).toBe('Conversation not found');
    expect(await missed('POST', '/navigate', { event_id: null })).toBe('Conversation not found');
    expect(await missed('POST', '/fork')).toBe('Source conversation not found');
    expect(await missed('GET', '/events/search')).toBe(`Conversation not found: ${id}`);
    expect(await missed('POST', '/events', message('hi'))).toBe(`Conversation not found: ${id}`);
  });
});
