import { MemoryStore, StoreError, type ListPage } from '@conv/core/store';
import type { ConversationInfo, ConversationPage } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { startServer } from '../support/test-server.ts';

/** A store in memory, some of whose conversations cannot be read. */
class PartlyUnreadable extends MemoryStore {
  /** Said by the list, by id. */
  readonly listed = new Map<string, string>();
  /** Found by reading alone. */
  readonly found = new Set<string>();

  override async list(...[query]: Parameters<MemoryStore['list']>): Promise<ListPage> {
    const page = await super.list(query);
    const items = page.items.map((item) => {
      const unreadable = this.listed.get(item.id);
      return unreadable === undefined ? item : { ...item, unreadable };
    });
    return { ...page, items };
  }

  override async read(id: string): ReturnType<MemoryStore['read']> {
    if (this.listed.has(id) || this.found.has(id)) throw new StoreError('DENIED', `conversation ${id}: EACCES`);
    return super.read(id);
  }
}

async function three(): Promise<{
  store: PartlyUnreadable;
  ids: string[];
  server: Awaited<ReturnType<typeof startServer>>;
}> {
  const store = new PartlyUnreadable();
  const server = await startServer({ store, idleTimeout: 1 });
  const ids = [await server.make(), await server.make(), await server.make()].map(({ id }) => id);
  // only conversations that are not loaded are read from the store
  for (const id of ids)
    await expect.poll(async () => (await server.call('GET', `/api/conversations/${id}`)).status).toBe(200);
  return { store, ids, server };
}

test('P13: conversations that cannot be read are named by a search and hide no other', async () => {
  const { store, ids, server } = await three();
  const [listed = '', found = '', whole = ''] = ids;
  store.listed.set(listed, 'meta.json: EACCES');
  store.found.add(found);
  await expect
    .poll(async () => (await server.call<ConversationPage>('GET', '/api/conversations/search')).body.unreadable.length)
    .toBe(2);
  const { status, body } = await server.call<ConversationPage>('GET', '/api/conversations/search');
  expect([status, body.items.map(({ id }) => id)]).toEqual([200, [whole]]);
  const reasons = new Map(body.unreadable.map(({ id, reason }) => [id, reason]));
  expect(reasons.get(listed)).toBe('meta.json: EACCES');
  expect(reasons.get(found)).toContain('EACCES');
  expect((await server.call<number>('GET', '/api/conversations/count')).body).toBe(3);
  expect((await server.call<ConversationInfo>('GET', `/api/conversations/${whole}`)).body.id).toBe(whole);
  const batch = await server.call<readonly (ConversationInfo | null)[]>(
    'GET',
    `/api/conversations?ids=${found}&ids=${whole}`,
  );
  expect([batch.status, batch.body.map((info) => info?.id ?? null)]).toEqual([200, [null, whole]]);
});

test('P13: a search whose store is not to be had says so, instead of that no conversation can be read', async () => {
  const { store, ids, server } = await three();
  for (const id of ids) store.found.add(id);
  await expect
    .poll(async () => (await server.call('GET', '/api/conversations/search')).status)
    .toBeGreaterThanOrEqual(500);
});
