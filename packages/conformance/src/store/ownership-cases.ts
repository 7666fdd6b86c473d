import assert from 'node:assert/strict';

import { isStoreError, toConversationKey } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import { Author, RECORD } from './author.ts';
import { readPlain, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

const takeOverCase = casesWhen(storeCase, ({ takeOver }) => takeOver);
const shared = (features: { readonly shared: boolean }): boolean => features.shared;

/** Cases about ownership: which opener may write, and when. */
export const ownershipCases: readonly StoreConformanceCase[] = [
  storeCase(
    'create never rejects NOT_FOUND for a missing conversation and makes nothing',
    async ({ store, platform }) => {
      const id = platform.id();
      await rejectsWith('NOT_FOUND', 'open', store.open(id, { create: 'never', owner: 'a' }));
      assert.deepEqual((await store.list()).items, []);
    },
  ),
  storeCase('create must rejects EXISTS for an existing conversation and changes nothing', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    await rejectsWith('EXISTS', 'open', store.open(author.id, { create: 'must', owner: 'a' }));
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  storeCase('create ifMissing opens an existing conversation', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const journal = await store.open(author.id, { create: 'ifMissing', owner: 'a' });
    assert.deepEqual(await readPlain(journal), author.written);
    await journal.close();
  }),
  storeCase(
    'open without create makes a missing conversation and opens an existing one',
    async ({ store, platform }) => {
      const id = platform.id();
      const author = new Author(platform, id, await store.open(id, { owner: 'a' }));
      await author.append({ events: 1 });
      await author.journal.close();
      const journal = await store.open(id, { owner: 'b' });
      assert.deepEqual(await readPlain(journal), author.written);
      await journal.close();
    },
  ),
  storeCase('an id with dashes, without them and in capitals names one conversation', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 1 });
    await author.journal.close();
    for (const id of [toConversationKey(author.id), author.id.toUpperCase()]) {
      assert.deepEqual(await readStored(store, id), author.written, id);
      const journal = await store.open(id, { create: 'never', owner: 'a' });
      await journal.close();
    }
  }),
  storeCase(
    'an id in capitals or without dashes is known to list, fork and delete too',
    async ({ store, begin, platform }) => {
      const author = await begin();
      await author.journal.close();
      const [capitals, bare] = [author.id.toUpperCase(), toConversationKey(author.id)];
      const [first, second] = [platform.id(), platform.id()];
      await store.fork(capitals, first.toUpperCase(), { patch: { set: { id: first } } });
      await store.fork(bare, toConversationKey(second), { patch: { set: { id: second } } });
      const ids = (await store.list()).items.map(({ id }) => id);
      assert.deepEqual([...ids].sort(), [author.id, first, second].sort());
      await store.delete(capitals);
      await store.delete(toConversationKey(first));
      assert.deepEqual(
        (await store.list()).items.map(({ id }) => id),
        [second],
      );
      await rejectsWith('NOT_FOUND', 'open', store.open(author.id, { create: 'never', owner: 'a' }));
    },
  ),
  storeCase(
    'a second opener is refused with OWNED, with the name and the epoch of the owner',
    async ({ store, platform }) => {
      const id = platform.id();
      const journal = await store.open(id, { create: 'must', owner: 'the first owner' });
      const error = await rejectsWith(
        'OWNED',
        'the second open',
        store.open(id, { create: 'never', owner: 'the second' }),
      );
      assert.ok(isStoreError(error));
      assert.equal(error.owner?.owner, 'the first owner');
      assert.equal(error.owner.epoch, journal.epoch);
      await journal.close();
    },
  ),
  storeCase('a second opener of the same name is refused with OWNED too', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const journal = await store.open(author.id, { create: 'never', owner: 'one name' });
    const second = store.open(author.id, { create: 'never', owner: 'one name' });
    await rejectsWith('OWNED', 'the open under the same name', second);
    author.journal = journal;
    await author.append({ events: 1 });
    await journal.close();
  }),
  storeCase('a refused opener may read, and the owner continues writing', async ({ store, begin }) => {
    const author = await begin();
    await rejectsWith('OWNED', 'the second open', store.open(author.id, { create: 'never', owner: 'second' }));
    assert.deepEqual(await readStored(store, author.id), author.written);
    await author.append({ events: 1 });
    assert.deepEqual(await readPlain(author.journal), author.written);
  }),
  storeCase('a refused opener may open when the owner has closed', async ({ store, begin }) => {
    const author = await begin();
    await rejectsWith('OWNED', 'the second open', store.open(author.id, { create: 'never', owner: 'second' }));
    await author.journal.close();
    const journal = await store.open(author.id, { create: 'never', owner: 'second' });
    await journal.close();
  }),
  storeCase('one of many concurrent openers gets the conversation, and all others OWNED', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const opened = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => store.open(author.id, { create: 'never', owner: `racer ${at}` })),
    );
    const refused = opened.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 7, 'seven of eight are refused');
    for (const { reason } of refused) assert.ok(isStoreError(reason, 'OWNED'), String(reason));
  }),
  storeCase('every opening has a greater epoch than all before', async ({ store, begin }) => {
    const author = await begin();
    const epochs = [author.journal.epoch];
    for (let round = 0; round < 3; round++) {
      await author.reopen(store);
      epochs.push(author.journal.epoch);
    }
    assert.deepEqual(
      epochs,
      [...new Set(epochs)].sort((a, b) => a - b),
    );
  }),
  storeCase(
    'another store object on the same backend is refused with OWNED too',
    async ({ again, begin }) => {
      const author = await begin();
      const other = await again();
      await rejectsWith(
        'OWNED',
        'open by another store object',
        other.open(author.id, { create: 'never', owner: 'other' }),
      );
      await author.journal.close();
      const journal = await other.open(author.id, { create: 'never', owner: 'other again' });
      assert.deepEqual(await readPlain(journal), author.written);
      await journal.close();
    },
    shared,
  ),
  takeOverCase('an append of an owner that was taken over rejects FENCED', async (bench) => {
    const { author } = await takenOver(bench);
    await rejectsWith('FENCED', 'the stale append', staleAppend(bench, author));
  }),
  takeOverCase('an owner that was taken over finds its journal lost when it appends', async (bench) => {
    const { author } = await takenOver(bench);
    await assert.rejects(staleAppend(bench, author));
    await bench.patiently('the journal to be lost', aborted(author.journal.lost));
    assert.ok(
      isStoreError(author.journal.lost.reason, 'FENCED'),
      `lost is aborted with ${String(author.journal.lost.reason)}`,
    );
  }),
  takeOverCase('no append of an owner that was taken over is stored', async (bench) => {
    const { author, next } = await takenOver(bench);
    await assert.rejects(staleAppend(bench, author));
    author.journal = next;
    await author.append({ events: 1 });
    assert.deepEqual(await readPlain(next), author.written);
    await next.close();
    assert.deepEqual(await readStored(bench.store, author.id), author.written);
  }),
  takeOverCase('closing a journal that was taken over leaves the new owner alone', async (bench) => {
    const { author, next } = await takenOver(bench);
    await author.journal.close();
    await rejectsWith('OWNED', 'open', bench.store.open(author.id, { create: 'never', owner: 'third' }));
    author.journal = next;
    await author.append({ events: 1 });
    await next.close();
  }),
  takeOverCase('every acknowledged commit is there after every takeover', async (bench) => {
    const author = await bench.begin();
    for (let round = 0; round < 5; round++) {
      await author.append({ events: 2 });
      author.journal = await forced(bench, author.id);
      assert.deepEqual(await readPlain(author.journal), author.written, `takeover ${round}`);
    }
    await author.journal.close();
  }),
  takeOverCase('a takeover finds the whole last commit: events, patch and call records', async (bench) => {
    const author = await bench.begin();
    for (let round = 0; round < 2; round++) {
      await author.append({ events: 1, patch: { set: { title: `round ${round}` } }, records: [RECORD, RECORD] });
      author.journal = await forced(bench, author.id);
      assert.deepEqual((await readPlain(author.journal)).at(-1), author.written.at(-1), `takeover ${round}`);
    }
    await author.journal.close();
  }),
  storeCase(
    'opening and closing cost as many requests after hundreds of openings as at first',
    async ({ store, requests, begin }) => {
      assert.ok(requests, 'the harness announced requests');
      const author = await begin();
      const costOfReopening = async (): Promise<number> => {
        const before = requests();
        await author.reopen(store);
        return requests() - before;
      };
      const first = Math.max(await costOfReopening(), await costOfReopening());
      for (let round = 0; round < 200; round++) await author.reopen(store);
      const last = Math.min(await costOfReopening(), await costOfReopening());
      assert.ok(last <= 2 * first + 5, `an opening took ${first} requests at first and ${last} after 200 more`);
      await author.journal.close();
    },
    (features) => features.requests === true,
  ),
];

async function takenOver(bench: StoreBench): Promise<{ author: Author; next: Author['journal'] }> {
  const author = await bench.begin();
  return { author, next: await forced(bench, author.id) };
}

function forced({ takeOver: force }: StoreBench, id: string): Promise<Author['journal']> {
  assert.ok(force, 'the harness announced takeOver');
  return force(id);
}

/** Appends a commit that must not be stored. The author does not remember it. */
function staleAppend({ platform }: StoreBench, author: Author): Promise<unknown> {
  return author.journal.append({ id: platform.id(), events: author.messages(1) }, author.fields);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
