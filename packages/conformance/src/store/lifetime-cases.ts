import assert from 'node:assert/strict';

import { systemPlatform } from '@conv/core/platform';
import { type Journal, type JournalReader, toCommitSeq, toConversationKey } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import { Author } from './author.ts';
import { drain, openReader, readPlain, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreConformanceCase, type StoreSuiteContext } from './store-under-test.ts';

const sharedCase = casesWhen(storeCase, ({ shared }) => shared);

/** Cases about aborts, closing, errors, and stores that share a backend. */
export const lifetimeCases: readonly StoreConformanceCase[] = [
  storeCase('open with an aborted signal rejects with its reason and makes nothing', async ({ store, platform }) => {
    const reason = new Error('changed my mind');
    const opening = store.open(platform.id(), { create: 'must', owner: 'a', signal: AbortSignal.abort(reason) });
    assert.equal(await opening.catch((error: unknown) => error), reason);
    assert.deepEqual((await store.list()).items, []);
  }),
  storeCase('open that is aborted on its way leaves the conversation to the next opener', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const opening = store.open(author.id, { create: 'never', owner: 'a', signal: controller.signal });
    controller.abort(reason);
    await opening.then(
      (journal) => journal.close(),
      (error: unknown) => assert.equal(error, reason),
    );
    await author.reopen(store);
    await author.append({ events: 1 });
    assert.deepEqual(await readPlain(author.journal), author.written);
  }),
  storeCase('aborting the signal of open later does nothing to the journal', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    const controller = new AbortController();
    author.journal = await store.open(author.id, { create: 'never', owner: 'a', signal: controller.signal });
    controller.abort();
    await author.append({ events: 1 });
    assert.equal(author.journal.lost.aborted, false);
  }),
  storeCase('a closed journal stores nothing and rejects CLOSED', async ({ store, begin }) => {
    const author = await begin();
    const { journal } = author;
    await journal.close();
    await rejectsWith('CLOSED', 'append', journal.append({ id: 'late', events: author.messages(1) }, author.fields));
    await rejectsWith('CLOSED', 'saveSnapshot', journal.saveSnapshot({ seq: toCommitSeq(1), version: 1, data: {} }));
    await readsNothing(journal);
    assert.deepEqual(await readStored(store, author.id), author.written);
  }),
  storeCase('a closed reader rejects CLOSED', async ({ store, begin }) => {
    const author = await begin();
    const reader = await openReader(store, author.id);
    await reader.close();
    await readsNothing(reader);
    await author.append({ events: 1 });
  }),
  storeCase('a closed store rejects CLOSED', async ({ store, begin, platform }) => {
    const author = await begin();
    await author.journal.close();
    await store.close();
    await rejectsWith('CLOSED', 'open', store.open(author.id, { owner: 'a' }));
    await rejectsWith('CLOSED', 'read', store.read(author.id));
    await rejectsWith('CLOSED', 'list', store.list());
    await rejectsWith('CLOSED', 'fork', store.fork(author.id, platform.id(), { patch: {} }));
    await rejectsWith('CLOSED', 'delete', store.delete(author.id));
    await rejectsWith('CLOSED', 'check', store.check(author.id));
    await rejectsWith('CLOSED', 'check of what all share', store.check(undefined));
  }),
  storeCase('closing a store closes its journals', async ({ store, begin }) => {
    const author = await begin();
    await store.close();
    await rejectsWith('CLOSED', 'append', author.append({ events: 1 }));
  }),
  storeCase('closing a store closes its readers', async ({ store, begin }) => {
    const author = await begin();
    const reader = await openReader(store, author.id);
    await store.close();
    await rejectsWith('CLOSED', 'commits', drain(reader.commits()));
  }),
  sharedCase('closing a store gives up what it owned', async ({ store, again, begin }) => {
    const author = await begin();
    await author.append({ events: 2 });
    await store.close();
    const other = await again();
    const journal = await other.open(author.id, { create: 'never', owner: 'other' });
    assert.deepEqual(await readPlain(journal), author.written);
    await journal.close();
  }),
  storeCase('closing twice has the effect of closing once', async ({ store, begin }) => {
    const author = await begin();
    const reader = await openReader(store, author.id);
    await Promise.all([author.journal.close(), author.journal.close()]);
    await author.journal.close();
    await Promise.all([reader.close(), reader.close()]);
    await Promise.all([store.close(), store.close()]);
    await store.close();
  }),
  storeCase('closing an old journal again leaves the next owner alone', async ({ store, begin }) => {
    const author = await begin();
    const { journal: old } = author;
    await author.reopen(store);
    await old.close();
    await rejectsWith('OWNED', 'open', store.open(author.id, { create: 'never', owner: 'third' }));
    await author.append({ events: 1 });
  }),
  sharedCase('another store object on the same backend sees the written commits', async ({ again, begin }) => {
    const author = await begin();
    await author.append({ events: 2 });
    const other = await again();
    assert.deepEqual(await readStored(other, author.id), author.written);
    await author.append({ events: 1 });
    assert.deepEqual(await readStored(other, author.id), author.written);
    await author.journal.close();
    assert.deepEqual(
      (await other.list()).items.map(({ id }) => id),
      [author.id],
    );
    await other.close();
  }),
  {
    name: 'two stores of the harness have nothing in common',
    run: async ({ make, platform = systemPlatform }: StoreSuiteContext) => {
      const [one, two] = await Promise.all([make(), make()]);
      try {
        const author = await Author.begin(platform, one.store);
        assert.deepEqual((await two.store.list()).items, []);
        await Author.begin(platform, two.store, { id: author.id });
      } finally {
        await Promise.all([one.dispose(), two.dispose()]);
      }
    },
  },
  storeCase(
    'an error says its code first and then the conversation that it is about',
    async ({ store, begin, platform }) => {
      const author = await begin();
      const missing = platform.id();
      const open = { owner: 'a', create: 'never' } as const;
      names(author.id, await rejectsWith('OWNED', 'open', store.open(author.id, open)), 'OWNED');
      await author.journal.close();
      names(missing, await rejectsWith('NOT_FOUND', 'open', store.open(missing, open)), 'NOT_FOUND');
      names('../x', await rejectsWith('INVALID_ID', 'open', store.open('../x', open)), 'INVALID_ID');
    },
  ),
];

/** Id of an event that is nowhere. */
const ABSENT = '77777777-0000-4000-8000-000000000000';

async function readsNothing(reader: Journal | JournalReader): Promise<void> {
  await rejectsWith('CLOSED', 'commits', drain(reader.commits()));
  await rejectsWith('CLOSED', 'watch', drain(reader.watch(toCommitSeq(0), new AbortController().signal)));
  await rejectsWith('CLOSED', 'locate', reader.locate(ABSENT));
  await rejectsWith('CLOSED', 'snapshot', reader.snapshot());
  await rejectsWith('CLOSED', 'refresh', reader.refresh());
}

function names(id: string, error: Error, code: string): void {
  assert.ok(error.message.startsWith(`[${code}] `), `"${error.message}" starts with [${code}]`);
  const spellings = id.includes('/') ? [id] : [id, toConversationKey(id)];
  assert.ok(
    spellings.some((spelling) => error.message.includes(spelling)),
    `"${error.message}" names ${id}`,
  );
}
