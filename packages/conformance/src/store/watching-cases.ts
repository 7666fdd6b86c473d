import assert from 'node:assert/strict';

import { type Commit, isStoreError, type JournalReader, toCommitSeq } from '@conv/core/store';
import { plainCommit } from './author.ts';
import { openReader, readPlain, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

const shared = (features: { readonly shared: boolean }): boolean => features.shared;

/** Cases about watches: each commit once and in order, under one owner after the other. */
export const watchingCases: readonly StoreConformanceCase[] = [
  storeCase('a watch joins stored and new commits without gap or duplicate', async (bench) => {
    const author = await bench.begin();
    for (let at = 0; at < 5; at++) await author.append({ events: 1 });
    const reader = await openReader(bench.store, author.id);
    const watched = collect(bench, reader, 0, 26);
    for (let at = 0; at < 20; at++) await author.append({ events: (19 - at) % 3 });
    assert.deepEqual((await watched).map(plainCommit), author.written);
    await reader.close();
  }),
  storeCase('a watch that is far behind gives every commit once and in order', async (bench) => {
    const author = await bench.begin();
    const write = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => author.append({ events: 1 })));
    for (let round = 0; round < 6; round++) await write(60);
    const reader = await openReader(bench.store, author.id);
    const controller = new AbortController();
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const commit of reader.watch(toCommitSeq(0), controller.signal)) {
        seen.push(plainCommit(commit));
        // it falls behind again while it reads what it missed
        if (seen.length === 100 || seen.length === 300) await write(60);
        if (seen.length === 481) break;
      }
    })();
    try {
      await bench.patiently('481 commits of a watch that is behind', watching);
    } finally {
      controller.abort();
    }
    assert.deepEqual(seen, author.written);
    await reader.close();
  }),
  storeCase('watch can start in the middle', async (bench) => {
    const author = await bench.begin();
    for (let at = 0; at < 4; at++) await author.append({ events: 3 });
    assert.deepEqual((await collect(bench, author.journal, 3, 2)).map(plainCommit), author.written.slice(3));
  }),
  storeCase('a watch from the end gives only new commits', async (bench) => {
    const author = await bench.begin();
    await author.append({ events: 1 });
    const watched = collect(bench, author.journal, 2, 2);
    await author.append({ events: 1 });
    await author.append({ events: 1 });
    assert.deepEqual((await watched).map(plainCommit), author.written.slice(2));
  }),
  storeCase('watch ends without an error when it is aborted while it waits', async (bench) => {
    const author = await bench.begin();
    const controller = new AbortController();
    const seen: Commit[] = [];
    const watching = (async () => {
      for await (const commit of author.journal.watch(toCommitSeq(0), controller.signal)) {
        seen.push(commit);
        void bench.platform.nextTurn().then(() => controller.abort(new Error('no longer needed')));
      }
    })();
    await bench.patiently('the watch to end', watching);
    assert.equal(seen.length, 1);
  }),
  storeCase('watch with a signal that is aborted already gives nothing', async (bench) => {
    const author = await bench.begin();
    const watched = Array.fromAsync(author.journal.watch(toCommitSeq(0), AbortSignal.abort()));
    assert.deepEqual(await bench.patiently('the watch to end', watched), []);
  }),
  storeCase('several watchers each get every commit', async (bench) => {
    const author = await bench.begin();
    const readers = await Promise.all([1, 2, 3].map(() => openReader(bench.store, author.id)));
    const watched = Promise.all(readers.map((reader) => collect(bench, reader, 1, 8)));
    for (let at = 0; at < 8; at++) await author.append({ events: 1 });
    for (const commits of await watched) assert.deepEqual(commits.map(plainCommit), author.written.slice(1));
    await Promise.all(readers.map((reader) => reader.close()));
  }),
  storeCase('leaving a watch disturbs neither its reader nor the writer', async (bench) => {
    const author = await bench.begin();
    const reader = await openReader(bench.store, author.id);
    for await (const commit of reader.watch(toCommitSeq(0), new AbortController().signal)) {
      assert.equal(commit.seq, 0);
      break;
    }
    await author.append({ events: 1 });
    await reader.refresh();
    assert.deepEqual(await readPlain(reader), author.written);
    await reader.close();
  }),
  storeCase('closing a reader ends its watch', async (bench) => {
    const author = await bench.begin();
    const reader = await openReader(bench.store, author.id);
    const watching = (async () => {
      for await (const commit of reader.watch(toCommitSeq(0), new AbortController().signal)) {
        assert.equal(commit.seq, 0);
        void bench.platform.nextTurn().then(() => reader.close());
      }
    })().catch((error: unknown) => assert.ok(isStoreError(error, 'CLOSED'), String(error)));
    await bench.patiently('the watch to end', watching);
  }),
  storeCase(
    'a watcher continues with what the next owner writes',
    async (bench) => {
      assert.ok(bench.takeOver, 'the harness announced takeOver');
      const author = await bench.begin();
      const reader = await openReader(bench.store, author.id);
      const watched = collect(bench, reader, 0, 5);
      await author.append({ events: 1 });
      author.journal = await bench.takeOver(author.id);
      await author.append({ events: 2 });
      await author.reopen(bench.store);
      await author.append({ events: 1 });
      await author.append({ events: 1 });
      assert.deepEqual((await watched).map(plainCommit), author.written);
      await reader.close();
    },
    ({ takeOver }) => takeOver,
  ),
  storeCase(
    'a watcher in another store object gets every commit',
    async (bench) => {
      const author = await bench.begin();
      const other = await bench.again();
      const reader = await openReader(other, author.id);
      const watched = collect(bench, reader, 0, 7);
      for (let at = 0; at < 6; at++) await author.append({ events: 2 });
      assert.deepEqual((await watched).map(plainCommit), author.written);
      await reader.close();
      await other.close();
    },
    shared,
  ),
  storeCase(
    'a watch waits while the store cannot be reached, and misses nothing',
    async (bench) => {
      assert.ok(bench.goAway, 'the harness announced goAway');
      const author = await bench.begin();
      await author.append({ events: 1 });
      const reader = await openReader(bench.store, author.id);
      const comeBack = await bench.goAway();
      const watched = collect(bench, reader, 0, 4);
      // A watch that ends too early fails the case below.
      watched.catch(() => {});
      try {
        await rejectsWith('UNAVAILABLE', 'refresh', reader.refresh());
      } finally {
        await comeBack();
      }
      await author.append({ events: 1 });
      await author.append({ events: 2 });
      assert.deepEqual((await watched).map(plainCommit), author.written);
      await reader.close();
    },
    ({ goAway }) => goAway === true,
  ),
];

/** Resolves with the first `count` commits of a watch. */
async function collect(
  bench: StoreBench,
  reader: JournalReader,
  from: number,
  count: number,
): Promise<readonly Commit[]> {
  const controller = new AbortController();
  const commits: Commit[] = [];
  const watching = (async () => {
    for await (const commit of reader.watch(toCommitSeq(from), controller.signal)) {
      commits.push(commit);
      if (commits.length === count) break;
    }
  })();
  try {
    await bench.patiently(`${count} commits from ${from} on`, watching);
  } finally {
    controller.abort();
  }
  return commits;
}
