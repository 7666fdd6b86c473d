import assert from 'node:assert/strict';

import type { StateFields } from '@conv/core';
import { type ConversationStore, type ConversationSummary, type ListQuery, toConversationId } from '@conv/core/store';
import { rejectsWith } from './expect-store.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

/** Cases about lists of conversations. */
export const listingCases: readonly StoreConformanceCase[] = [
  storeCase('pages of a list repeat nothing and leave nothing out', async (bench) => {
    const { store } = bench;
    const ids = await seven(bench);
    for (const limit of [1, 2, 3, 7, 100]) {
      const pages = await allPages(store, { limit, sortBy: 'createdAt', order: 'ascending' });
      assert.deepEqual(pages.flat().map(idOf), ids, `limit ${limit}`);
      for (const page of pages) assert.ok(page.length <= limit, `a page of ${page.length} with limit ${limit}`);
    }
  }),
  storeCase('a list can be sorted by the time of creation, both ways', async (bench) => {
    const { store } = bench;
    const ids = await seven(bench);
    const sorted = await store.list({ sortBy: 'createdAt', order: 'ascending' });
    assert.deepEqual(sorted.items.map(idOf), ids);
    const reversed = await store.list({ sortBy: 'createdAt', order: 'descending' });
    assert.deepEqual(reversed.items.map(idOf), ids.toReversed());
  }),
  storeCase('a list is sorted by the time of the last change, newest first, by default', async (bench) => {
    const { store } = bench;
    await seven(bench);
    const times = (await store.list()).items.map(({ updatedAt }) => updatedAt);
    assert.deepEqual(times, [...times].sort().toReversed());
    const ascending = (await store.list({ order: 'ascending' })).items.map(({ updatedAt }) => updatedAt);
    assert.deepEqual(ascending, [...ascending].sort());
  }),
  storeCase('conversations of the same time are listed by id, so that pages stay consistent', async (bench) => {
    const { store } = bench;
    const createdAt = '2026-01-02T03:04:05.678Z';
    const ids: string[] = [];
    for (let at = 0; at < 9; at++) ids.push(await made(bench, { createdAt }));
    const pages = await allPages(store, { limit: 2, sortBy: 'createdAt', order: 'ascending' });
    assert.deepEqual(pages.flat().map(idOf), ids.sort());
  }),
  storeCase('a page stays where it is when conversations before it come and go', async (bench) => {
    const { store } = bench;
    const ids = await seven(bench);
    const query = { limit: 3, sortBy: 'createdAt', order: 'ascending' } as const;
    const { next } = await store.list(query);
    assert.ok(next !== undefined);
    for (const createdAt of ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z']) await made(bench, { createdAt });
    await store.delete(ids[1] ?? '');
    const page = await store.list({ ...query, page: next });
    assert.deepEqual(page.items.map(idOf), ids.slice(3, 6));
  }),
  storeCase('a list can be filtered by status', async (bench) => {
    const { store } = bench;
    const finished = await made(bench, { executionStatus: 'finished' });
    await made(bench, { executionStatus: 'paused' });
    assert.deepEqual((await store.list({ status: 'finished' })).items.map(idOf), [finished]);
    for (const status of ['no such status', 'finish', 'FINISHED', ''])
      assert.deepEqual((await store.list({ status })).items, [], `status ${JSON.stringify(status)}`);
  }),
  storeCase('a list can be filtered by parents', async (bench) => {
    const { store, platform } = bench;
    const [one, two, three] = [platform.id(), platform.id(), platform.id()];
    const children = [await made(bench, { parentId: one }), await made(bench, { parentId: two })];
    await made(bench, { parentId: three });
    await made(bench, {});
    const query = { parentIds: [one, two, platform.id()], sortBy: 'createdAt', order: 'ascending' } as const;
    assert.deepEqual((await store.list(query)).items.map(idOf).sort(), children.sort());
    assert.deepEqual((await store.list({ parentIds: [] })).items, []);
  }),
  storeCase('a list counts the conversations of all pages if the query asks for it', async (bench) => {
    const { store, platform } = bench;
    const parentId = platform.id();
    await made(bench, { executionStatus: 'finished', parentId });
    for (let at = 0; at < 3; at++) await made(bench, { executionStatus: 'paused' });
    assert.equal((await store.list({ limit: 1, total: true })).total, 4);
    assert.equal((await store.list({ limit: 1, total: true, status: 'paused' })).total, 3);
    assert.equal((await store.list({ limit: 1, total: true, parentIds: [parentId] })).total, 1);
    assert.equal((await store.list({ total: true, status: 'paused', parentIds: [parentId] })).total, 0);
    const { next } = await store.list({ limit: 2 });
    assert.ok(next !== undefined);
    assert.equal((await store.list({ limit: 2, total: true, page: next })).total, 4);
    assert.equal((await store.list()).total, undefined);
  }),
  storeCase('a page that no list has handed out rejects NOT_FOUND', async (bench) => {
    const { store } = bench;
    await made(bench, {});
    for (const page of ['', 'x', '../../etc', Buffer.from('[1,2]').toString('base64url'), 'x'.repeat(5000)]) {
      await rejectsWith('NOT_FOUND', `page ${page.slice(0, 20)}`, store.list({ page }));
    }
  }),
  storeCase('a page of a list holds 20 conversations by default', async (bench) => {
    const { store } = bench;
    for (let at = 0; at < 21; at++) await made(bench, {});
    const { items, next } = await store.list();
    assert.equal(items.length, 20);
    assert.ok(next !== undefined);
    assert.equal((await store.list({ page: next })).items.length, 1);
  }),
  storeCase('a limit that is not a number from 1 to 100 is refused', async ({ store }) => {
    for (const limit of [0, -1, 101, 1.5, Number.NaN])
      await assert.rejects(store.list({ limit }), TypeError, `limit ${limit}`);
  }),
  storeCase('a summary matches the state, from the first commit to the last', async ({ store, begin }) => {
    const first: Partial<StateFields> = {
      createdAt: '2026-02-03T04:05:06.789Z',
      parentId: '11111111-2222-4333-8444-555555555555',
      forkedFrom: { conversationId: '66666666-7777-4888-8999-aaaaaaaaaaaa', eventId: null },
      tags: { team: 'a' },
    };
    const author = await begin(first);
    await author.reopen(store);
    await author.append({
      events: 1,
      patch: { set: { title: 'na\u00efve', executionStatus: 'stuck' }, add: { tags: { b: '2' } } },
    });
    await author.journal.close();
    const [item] = (await store.list()).items;
    assert.ok(item !== undefined && !Number.isNaN(Date.parse(item.updatedAt)));
    const { updatedAt, ...summary } = item;
    assert.ok(updatedAt.endsWith('Z'), `${updatedAt} is UTC`);
    const { createdAt, parentId, forkedFrom } = first;
    const tags = { team: 'a', b: '2' };
    assert.deepEqual(
      { ...summary },
      { id: author.id, title: 'na\u00efve', status: 'stuck', createdAt, tags, parentId, forkedFrom },
    );
  }),
  storeCase('a conversation is listed while it is written', async ({ store, begin }) => {
    const author = await begin();
    const [item] = (await store.list()).items;
    assert.deepEqual([item?.id, item?.title, item?.parentId], [author.id, null, null]);
    await author.append({ events: 1 });
    assert.deepEqual((await store.list()).items.map(idOf), [author.id]);
  }),
];

async function made({ begin }: StoreBench, fields: Partial<StateFields>): Promise<string> {
  const author = await begin(fields);
  await author.journal.close();
  return author.id;
}

/** Seven conversations; their ids in the order of their creation times. */
async function seven(bench: StoreBench): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const day of [4, 1, 6, 3, 7, 2, 5])
    ids[day - 1] = await made(bench, { createdAt: `2026-03-0${day}T00:00:00.000Z` });
  return ids;
}

async function allPages(
  store: ConversationStore,
  query: ListQuery,
): Promise<readonly (readonly ConversationSummary[])[]> {
  const pages: (readonly ConversationSummary[])[] = [];
  for (let page: string | undefined, more = true; more;) {
    const { items, next } = await store.list(page === undefined ? query : { ...query, page });
    pages.push(items);
    page = next;
    more = next !== undefined;
    assert.ok(pages.length <= 20, 'the pages come to an end');
  }
  return pages;
}

function idOf({ id }: ConversationSummary): string {
  return toConversationId(id);
}
