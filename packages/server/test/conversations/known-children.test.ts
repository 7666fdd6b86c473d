import { randomUUID } from 'node:crypto';

import { MemoryStore, type ConversationStore, type ListQuery } from '@conv/core/store';
import { initialFields } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { KnownChildren } from '../../src/conversations/known-children.ts';

const platform = new ManualPlatform();

/** A store that records the queries of its list. */
class Listed {
  readonly queries: ListQuery[] = [];
  readonly memory = new MemoryStore();
  readonly store = {
    list: (query: ListQuery = {}) => {
      this.queries.push(query);
      return this.memory.list(query);
    },
  } as unknown as ConversationStore;

  async make(parentId: string | null): Promise<string> {
    const id = randomUUID();
    const journal = await this.memory.open(id, { owner: 'a' });
    const fields = { ...initialFields, id, parentId };
    await journal.append({ id: randomUUID(), events: [], patch: { set: fields } }, fields);
    await journal.close();
    return id;
  }
}

test('P12: the first question reads the children of the given conversation, and no page of the others', async () => {
  const listed = new Listed();
  const parent = await listed.make(null);
  for (let at = 0; at < 250; at++) await listed.make(null);
  const child = await listed.make(parent);
  const known = new KnownChildren(listed.store, platform);
  expect(await known.of(parent)).toEqual([child]);
  expect(await known.of(parent)).toEqual([child]);
  expect(listed.queries).toMatchObject([{ parentIds: [parent] }]);
});

test('P12: children of many conversations are read at once, even when one has more than a page', async () => {
  const listed = new Listed();
  const parents = [await listed.make(null), await listed.make(null), await listed.make(null)];
  const children: string[] = [];
  for (let at = 0; at < 150; at++) children.push(await listed.make(parents[1] ?? ''));
  const known = new KnownChildren(listed.store, platform);
  await known.load(parents);
  expect(await Promise.all(parents.map((id) => known.of(id)))).toEqual([[], children.sort(), []]);
  expect(listed.queries).toHaveLength(2);
});

test('children that other servers make are known after a while, and children that are made here at once', async () => {
  const listed = new Listed();
  const parent = await listed.make(null);
  const known = new KnownChildren(listed.store, platform);
  expect(await known.of(parent)).toEqual([]);
  const elsewhere = await listed.make(parent);
  const here = await listed.make(parent);
  known.add(here, parent);
  expect(await known.of(parent)).toEqual([here]);
  platform.pass(5001);
  expect(await known.of(parent)).toEqual([elsewhere, here].sort());
  known.forget(here);
  expect(await known.of(parent)).toEqual([elsewhere]);
});
