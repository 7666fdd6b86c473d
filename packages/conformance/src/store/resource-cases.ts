import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';

import { type ConversationStore, toCommitSeq } from '@conv/core/store';
import type { Author } from './author.ts';
import { openReader, readPlain } from './expect-store.ts';
import { exceeds, heldAtMost, heldResources } from '../held-resources.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

const ROUNDS = 6;

/** Cases about resources that operations hold and give back. */
export const resourceCases: readonly StoreConformanceCase[] = [
  storeCase(
    'descriptors and timers of every operation are given back, when it succeeds and when it fails',
    async (bench) => {
      // The first rounds open connections and the like, which a store keeps.
      for (let round = 0; round < 2; round++) await everyOperation(bench);
      const before = heldResources();
      for (let round = 0; round < ROUNDS; round++) await everyOperation(bench);
      const after = await heldAtMost(bench.platform, before, 1_000);
      assert.ok(!exceeds(after, before), `held before: ${JSON.stringify(before)}, after: ${JSON.stringify(after)}`);
    },
  ),
  storeCase('a watch that ends leaves no listener on its signal', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const { signal } = new AbortController();
    for (let round = 0; round < 3; round++) {
      author.journal = await store.open(author.id, { create: 'never', owner: 'a' });
      const reader = await openReader(store, author.id);
      for await (const _ of reader.watch(toCommitSeq(0), signal)) break;
      for await (const _ of author.journal.watch(toCommitSeq(0), signal)) break;
      await reader.close();
      await author.journal.close();
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  }),
];

async function everyOperation({ store, begin, platform }: StoreBench): Promise<void> {
  const author = await begin();
  await author.append({ events: 2 });
  const fork = platform.id();
  await whatever(async () => {
    const reader = await openReader(store, author.id);
    try {
      await readPlain(reader);
    } finally {
      await reader.close();
    }
  });
  await whatever(() => seeOne(store, author));
  await whatever(() => store.list());
  await whatever(() => store.fork(author.id, fork, { patch: {} }));
  await whatever(() => store.fork(author.id, fork, { patch: {} }));
  await whatever(() => store.fork(platform.id(), platform.id(), { patch: {} }));
  for (const [id, create] of [
    [author.id, 'never'],
    [fork, 'must'],
    [platform.id(), 'never'],
  ] as const)
    await whatever(async () => (await store.open(id, { create, owner: 'second' })).close());
  // refused while the conversation is owned
  await whatever(() => store.check(author.id, { repair: true }));
  await author.journal.close();
  for (const id of [author.id, fork, platform.id(), undefined]) {
    await whatever(() => store.check(id));
    await whatever(() => store.check(id, { repair: true }));
    await whatever(() => store.check(id, { signal: AbortSignal.abort(new Error('enough')) }));
  }
  await whatever(() => store.delete(fork));
  await whatever(() => store.delete(author.id));
}

async function seeOne(store: ConversationStore, author: Author): Promise<void> {
  const reader = await openReader(store, author.id);
  try {
    await reader.locate(author.events[0]?.id ?? '');
    await reader.snapshot();
    const controller = new AbortController();
    for await (const _ of reader.watch(toCommitSeq(0), controller.signal)) controller.abort();
  } finally {
    await reader.close();
  }
}

/** Runs an operation whose outcome other cases test. */
async function whatever(action: () => Promise<unknown>): Promise<void> {
  await action().catch(() => {});
}
