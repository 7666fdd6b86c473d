import assert from 'node:assert/strict';

import { type Commit, readEvents, type Snapshot, toCommitSeq, toEventIndex } from '@conv/core/store';
import { plainCommit } from './author.ts';
import { openReader, plainEvents, readPlain, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreConformanceCase } from './store-under-test.ts';

/** Id of a conversation that is nowhere. */
const ABSENT = '77777777-0000-4000-8000-000000000000';

/** Ids that are not a UUID, or that would lead a store somewhere else. */
const BAD_IDS = [
  '',
  '..',
  '../../etc/passwd',
  'a/b',
  'C:\\x',
  '\u0000',
  `${ABSENT}/..`,
  ` ${ABSENT}`,
  `${ABSENT}\n`,
  '%2e%2e',
  'x'.repeat(5000),
];

/** Cases about readers: commits, events, ends, snapshots and damage. */
export const readingCases: readonly StoreConformanceCase[] = [
  storeCase('reading a missing conversation resolves with undefined', async ({ store, begin, platform }) => {
    const author = await begin();
    assert.equal(await store.read(platform.id()), undefined);
    await author.journal.close();
  }),
  storeCase('an id that is not a UUID rejects INVALID_ID everywhere', async ({ store, begin, platform }) => {
    const good = await begin();
    await good.journal.close();
    for (const id of BAD_IDS) {
      const name = JSON.stringify(id.slice(0, 60));
      await rejectsWith('INVALID_ID', `open ${name}`, store.open(id, { owner: 'a' }));
      await rejectsWith('INVALID_ID', `read ${name}`, store.read(id));
      await rejectsWith('INVALID_ID', `delete ${name}`, store.delete(id));
      await rejectsWith('INVALID_ID', `check ${name}`, store.check(id));
      await rejectsWith('INVALID_ID', `fork from ${name}`, store.fork(id, platform.id(), { patch: {} }));
      await rejectsWith('INVALID_ID', `fork to ${name}`, store.fork(good.id, id, { patch: {} }));
    }
  }),
  storeCase('commits can be read by number, from and to anywhere', async ({ begin }) => {
    const author = await begin();
    for (let at = 0; at < 9; at++) await author.append({ events: (at + 1) % 2 });
    for (const [from, to] of [
      [0, 10],
      [3, 7],
      [9, 10],
      [4, 4],
      [7, 3],
      [10, 20],
      [50, 60],
      [0, 1],
    ] as const) {
      const range = { from: toCommitSeq(from), to: toCommitSeq(to) };
      assert.deepEqual(
        await readPlain(author.journal, range),
        author.written.slice(from, Math.max(from, to)),
        `${from} to ${to}`,
      );
    }
    assert.deepEqual(await readPlain(author.journal, { from: toCommitSeq(6) }), author.written.slice(6));
    assert.deepEqual(await readPlain(author.journal, { to: toCommitSeq(6) }), author.written.slice(0, 6));
  }),
  storeCase(
    'events can be read by number, from and to anywhere, with the commits that hold them',
    async ({ begin }) => {
      const author = await begin();
      for (const events of [3, 1, 0, 5, 2]) await author.append({ events });
      for (const [from, to] of [
        [0, 11],
        [1, 2],
        [2, 5],
        [4, 9],
        [5, 5],
        [6, 4],
        [10, 11],
        [11, 12],
        [8, 30],
        [40, 50],
      ] as const) {
        const found = await Array.fromAsync(readEvents(author.journal, from, to));
        const expected = author.events.slice(from, Math.max(from, to));
        assert.deepEqual(plainEvents(found.map(({ event }) => event)), plainEvents(expected), `${from} to ${to}`);
        assert.deepEqual(
          found.map(({ index }) => index),
          expected.map((_, at) => from + at),
          `${from} to ${to}`,
        );
      }
      const tail = await Array.fromAsync(author.journal.commits({ fromEvent: toEventIndex(9) }));
      assert.deepEqual(tail.map(plainCommit), author.written.slice(5));
      const span = await Array.fromAsync(
        author.journal.commits({ fromEvent: toEventIndex(3), toEvent: toEventIndex(4) }),
      );
      assert.deepEqual(span.map(plainCommit), author.written.slice(2, 3), 'commits outside the span are left out');
    },
  ),
  storeCase(
    'events of any range come in the order of their numbers in a log of many commits',
    async ({ store, begin }) => {
      const author = await begin();
      for (let round = 0; round < 12; round++) {
        await Promise.all(Array.from({ length: 60 }, (_, at) => author.append({ events: at % 2 })));
      }
      await author.reopen(store);
      for (const [from, to] of [
        [0, 360],
        [100, 131],
        [127, 300],
        [255, 257],
        [350, 400],
      ] as const) {
        const found = await Array.fromAsync(readEvents(author.journal, from, to));
        assert.deepEqual(
          found.map(({ index }) => index),
          author.events.slice(from, to).map((_, at) => from + at),
          `${from} to ${to}`,
        );
        const expected = author.events.slice(from, to);
        assert.deepEqual(plainEvents(found.map(({ event }) => event)), plainEvents(expected), `${from} to ${to}`);
      }
    },
  ),
  storeCase(
    'commits ends where the log ended at the time of the call, while appends continue',
    async ({ patiently, begin }) => {
      const author = await begin();
      await author.append({ events: 1 });
      const before = author.written.length;
      const read: unknown[] = [];
      const reading = (async () => {
        for await (const commit of author.journal.commits()) {
          read.push(plainCommit(commit));
          if (author.written.length < before + 20) await author.append({ events: 1 });
        }
      })();
      await patiently('the reading to end', reading);
      assert.deepEqual(read, author.written.slice(0, before));
    },
  ),
  storeCase('a reader opened during a write finds the commits acknowledged until then', async ({ store, begin }) => {
    const author = await begin();
    for (let round = 0; round < 4; round++) {
      await author.append({ events: 1 });
      const acknowledged = author.written.length;
      const inFlight = author.append({ events: 1 });
      const reader = await openReader(store, author.id);
      const found = await readPlain(reader);
      await inFlight;
      assert.ok(found.length >= acknowledged, `${found.length} commits are found, ${acknowledged} were acknowledged`);
      assert.deepEqual(found, author.written.slice(0, found.length));
      await reader.close();
    }
  }),
  storeCase('refresh moves the end of a reader to the end of the log', async ({ store, begin }) => {
    const author = await begin();
    const reader = await openReader(store, author.id);
    await author.append({ events: 2 });
    await author.append({ events: 1 });
    assert.deepEqual(await reader.refresh(), { seq: 3, event: 3 });
    assert.deepEqual(reader.end, { seq: 3, event: 3 });
    assert.deepEqual(await readPlain(reader), author.written);
    await reader.close();
  }),
  storeCase('the end of a journal is always current', async ({ store, begin }) => {
    const author = await begin();
    assert.deepEqual(author.journal.end, { seq: 1, event: 0 });
    await author.append({ events: 2 });
    assert.deepEqual(author.journal.end, { seq: 2, event: 2 });
    await author.reopen(store);
    assert.deepEqual(author.journal.end, { seq: 2, event: 2 });
  }),
  storeCase('an empty conversation ends at 0', async ({ store, platform }) => {
    const journal = await store.open(platform.id(), { create: 'must', owner: 'a' });
    assert.deepEqual(journal.end, { seq: 0, event: 0 });
    assert.deepEqual(await readPlain(journal), []);
    assert.equal(await journal.locate(platform.id()), undefined);
    assert.equal(await journal.snapshot(), undefined);
    await journal.close();
  }),
  storeCase(
    'locate finds the first event with an id, and none for an unknown id',
    async ({ store, begin, platform }) => {
      const author = await begin();
      const twin = author.message('twin', null);
      await author.append({ events: 2 });
      await author.append({ events: [twin, author.message('between', twin.id), twin] });
      await author.append({ events: [twin] });
      await author.reopen(store);
      assert.equal(await author.journal.locate(twin.id), 2);
      assert.equal(await author.journal.locate(author.events[3]?.id ?? ''), 3);
      for (const id of [platform.id(), '', '__root__', '__proto__', 'constructor'])
        assert.equal(await author.journal.locate(id), undefined, id);
    },
  ),
  storeCase('locate finds events that were appended after an earlier call', async ({ begin }) => {
    const author = await begin();
    await author.append({ events: 1 });
    assert.equal(await author.journal.locate(author.events[0]?.id ?? ''), 0);
    await author.append({ events: 3 });
    assert.equal(await author.journal.locate(author.events[3]?.id ?? ''), 3);
  }),
  storeCase('readers do not disturb each other', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 1 });
    const [first, second] = [await openReader(store, author.id), await openReader(store, author.id)];
    await first.close();
    assert.deepEqual(await readPlain(second), author.written);
    await second.close();
    await author.append({ events: 1 });
  }),
  storeCase('a log that was never harmed reports no damage', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 3 });
    await author.reopen(store);
    assert.equal((await readPlain(author.journal)).length, 2);
    assert.deepEqual(author.journal.damage, []);
  }),
  storeCase('a snapshot is kept, replaced by a later one, and found by the next owner', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 2 });
    const [early, late] = [snapshotAt(1), snapshotAt(2)];
    await author.journal.saveSnapshot(early);
    assert.deepEqual(await author.journal.snapshot(), early);
    await author.journal.saveSnapshot(late);
    assert.deepEqual(await author.journal.snapshot(), late);
    await author.reopen(store);
    assert.deepEqual(await author.journal.snapshot(), late);
  }),
  storeCase('a snapshot that is ahead of the log is never given out', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 2 });
    await author.journal.saveSnapshot(snapshotAt(3));
    assert.notEqual((await author.journal.snapshot())?.seq, 3);
    await author.reopen(store);
    assert.notEqual((await author.journal.snapshot())?.seq, 3);
  }),
  storeCase('the epochs of a log never fall', async ({ store, begin }) => {
    const author = await begin();
    for (let round = 0; round < 3; round++) {
      await author.append({ events: 1 });
      await author.reopen(store);
      await author.append({ patch: { set: { title: `round ${round}` } } });
    }
    const commits: readonly Commit[] = await Array.fromAsync(author.journal.commits());
    const epochs = commits.map(({ epoch }) => epoch);
    assert.deepEqual(
      epochs,
      [...epochs].sort((a, b) => a - b),
    );
    assert.equal(new Set(epochs).size, 4, 'each owner writes in an epoch of its own');
  }),
];

function snapshotAt(seq: number): Snapshot {
  return {
    seq: toCommitSeq(seq),
    version: 7,
    data: { at: seq, text: 'caf\u00e9 \u2028', list: [1, null, { deep: true }] },
  };
}
