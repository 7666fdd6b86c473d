import assert from 'node:assert/strict';

import { initialFields } from '@conv/core';
import { type Event, type Json, readEvent } from '@conv/core/events';
import { type Commit, toCommitSeq } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import { type Author, plainCommit, RECORD } from './author.ts';
import { readPlain, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreConformanceCase } from './store-under-test.ts';

const limitCase = casesWhen(storeCase, ({ maxCommitBytes }) => maxCommitBytes <= LARGEST_TRIED);

/**
 * The largest commit that the suite writes, in bytes. A store that takes commits of any size would make it write them.
 */
const LARGEST_TRIED = 64 * 1024 * 1024;

/** Text that encodings, normalisation and line-based formats get wrong. */
const HARD_TEXT =
  'a\u0000b \u2028\u2029 \r\n\n\t "\\" e\u0301 \u00e9 \u{1f468}\u200d\u{1f469} \ufeff \ud800 \udfff </script>';

/** Cases about appends, and about reading back what was appended. */
export const writingCases: readonly StoreConformanceCase[] = [
  storeCase(
    'a commit reads back as it was appended: events, all parts of its patch, and call records',
    async ({ store, begin }) => {
      const author = await begin({ tags: { a: '1' } });
      await author.append({
        events: 2,
        patch: { set: { title: 'title' }, add: { tags: { b: '2' } } },
        records: [RECORD],
      });
      await author.append({ patch: { unset: ['title'] } });
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    },
  ),
  storeCase(
    'append resolves with the commit as it is stored: its number, its first event, its epoch',
    async ({ begin }) => {
      const author = await begin();
      const resolved: Commit[] = [await author.append({ events: 3 }), await author.append({ events: 1 })];
      const stored: Commit[] = [];
      for await (const commit of author.journal.commits()) stored.push(commit);
      assert.deepEqual(resolved.map(plainCommit), author.written.slice(1));
      assert.deepEqual(
        stored.slice(1).map(({ epoch }) => epoch),
        [author.journal.epoch, author.journal.epoch],
      );
      assert.deepEqual(
        resolved.map(({ epoch }) => epoch),
        [author.journal.epoch, author.journal.epoch],
      );
    },
  ),
  storeCase('appends in flight together become commits in the order of the calls', async ({ begin }) => {
    const author = await begin();
    const sizes = [...Array.from({ length: 62 }, (_, at) => (at + 1) % 3), 0, 0];
    const commits = await Promise.all(sizes.map((events) => author.append({ events })));
    assert.deepEqual(commits.map(plainCommit), author.written.slice(1));
    assert.deepEqual(await readPlain(author.journal), author.written);
  }),
  storeCase('a commit may hold many events, and a commit without events adds none', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 700 });
    await author.append({ patch: { set: { title: 'between' } } });
    await author.append({ events: 1 });
    await author.journal.close();
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  storeCase('unknown kinds and unknown fields read back as they were written', async ({ store, begin }) => {
    const author = await begin();
    const [known] = author.messages(1);
    const odd = { ...(known as Event), new_field: { deep: [1, null, 'x'], nothing: null } };
    const unknown = {
      ...oddEvent(author, odd.id),
      kind: 'KindOfTomorrow',
      payload: { numbers: [0.1, 1e21, -1], empty: {} },
    };
    await author.append({ events: [readEvent(odd), readEvent(unknown)] });
    await author.journal.close();
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  storeCase('text of any kind reads back as it was written', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: [author.message(HARD_TEXT, null)], patch: { set: { title: HARD_TEXT } } });
    await author.journal.close();
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  storeCase(
    'a patch of fields that this version does not know reads back as it was written',
    async ({ store, begin }) => {
      const author = await begin();
      const set = { ...initialFields, title: 'newer', fieldOfTomorrow: { a: [1, 2] } };
      await author.append({ patch: { set } });
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    },
  ),
  limitCase('a commit just below maxCommitBytes is stored', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: largeEvents(author, store.features.maxCommitBytes - 16 * 1024) });
    await author.journal.close();
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  limitCase(
    'a commit above maxCommitBytes rejects TOO_LARGE, is not stored, and the journal continues',
    async ({ store, begin }) => {
      const author = await begin();
      const tooLarge = { id: 'too-large', events: largeEvents(author, store.features.maxCommitBytes + 1024) };
      await rejectsWith('TOO_LARGE', 'append', author.journal.append(tooLarge, author.fields));
      await author.append({ events: 1 });
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    },
  ),
  limitCase(
    'appends before a reported refusal are refused too, because they build on the refused commit',
    async ({ store, begin }) => {
      const author = await begin();
      const tooLarge = { id: 'too-large', events: largeEvents(author, store.features.maxCommitBytes + 1024) };
      const refused = author.journal.append(tooLarge, author.fields);
      const behind = author.journal.append({ id: 'behind', events: author.messages(1) }, author.fields);
      const outcomes = await Promise.allSettled([refused, behind]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    },
  ),
  limitCase(
    'a commit after a refused one is stored whole: events, patch and call records',
    async ({ store, begin }) => {
      const author = await begin();
      const tooLarge = { id: 'too-large', events: largeEvents(author, store.features.maxCommitBytes + 1024) };
      await rejectsWith('TOO_LARGE', 'append', author.journal.append(tooLarge, author.fields));
      await author.append({ events: 1, patch: { set: { title: 'behind' } }, records: [RECORD] });
      await author.append({ patch: { unset: ['title'], add: { tags: { a: '1' } } } });
      await author.reopen(store);
      assert.deepEqual(await readPlain(author.journal), author.written);
    },
  ),
  storeCase('a log of thousands of commits reads back, from the start and from anywhere', async ({ store, begin }) => {
    const author = await begin();
    for (let round = 0; round < 45; round++) {
      await Promise.all(Array.from({ length: 100 }, () => author.append({ events: 1 })));
    }
    await author.reopen(store);
    // Compared as texts, because showing the difference of two long lists takes longer than finding it.
    const texts = (commits: readonly unknown[]): readonly string[] => commits.map((commit) => JSON.stringify(commit));
    const [found, expected] = [texts(await readPlain(author.journal)), texts(author.written)];
    assert.equal(found.length, expected.length);
    assert.ok(
      found.every((commit, at) => commit === expected[at]),
      'every commit reads back as it was written',
    );
    const tail = await readPlain(author.journal, { from: toCommitSeq(4450) });
    assert.deepEqual(tail, author.written.slice(4450));
    assert.equal(await author.journal.locate(author.events[4480]?.id ?? ''), 4480);
  }),
  storeCase('conversations that are written at the same time do not mix', async ({ store, begin }) => {
    const authors = [await begin(), await begin(), await begin()];
    const writing = Array.from({ length: 5 }, () => authors.map((author) => author.append({ events: 2 })));
    await Promise.all(writing.flat());
    for (const author of authors) {
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    }
  }),
  storeCase('a log reads back the same however it is split into commits', async ({ store, begin }) => {
    for (let seed = 1; seed <= 8; seed++) {
      const author = await begin();
      const next = randomNumbers(seed);
      while (author.events.length < 60) await author.append({ events: Math.max(0, next(9) - 2), ...titled(next(4)) });
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written, `seed ${seed}`);
    }
  }),
  storeCase('everything that was written is there after every reopening', async ({ store, begin }) => {
    const author = await begin();
    for (let round = 0; round < 12; round++) {
      await author.append({ events: 1 + (round % 2) });
      await author.reopen(store);
      assert.deepEqual(await readPlain(author.journal), author.written, `round ${round}`);
    }
  }),
  storeCase('closing a journal stores what was appended before', async ({ store, begin }) => {
    const author = await begin();
    const appended = [1, 2, 0, 3].map((events) => author.append({ events }));
    await author.journal.close();
    assert.deepEqual((await Promise.all(appended)).map(plainCommit), author.written.slice(1));
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
];

function oddEvent(author: Author, parent: string): { readonly [field: string]: Json } & { readonly id: string } {
  const base = JSON.parse(JSON.stringify(author.message('', parent))) as { id: string; timestamp: string };
  return { id: base.id, timestamp: base.timestamp, source: 'someone', parent_id: parent };
}

/** Makes events that serialise to this many bytes together, or to a few more when the last event would be too small. */
function largeEvents(author: Author, bytes: number): readonly Event[] {
  const piece = 256 * 1024;
  const events: Event[] = [];
  let parent: string | null = null;
  for (let left = bytes; left > 0;) {
    const overhead: number = JSON.stringify(author.message('', parent)).length;
    const event = author.message('x'.repeat(Math.max(1, Math.min(left, piece) - overhead)), parent);
    events.push(event);
    left -= JSON.stringify(event).length;
    parent = event.id;
  }
  return events;
}

function titled(choice: number): { patch?: { set: { title: string } } } {
  return choice === 0 ? { patch: { set: { title: 'split' } } } : {};
}

/** Returns a source of numbers from 0 to before `limit`, the same numbers for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
