import assert from 'node:assert/strict';

import { isStoreError } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import { openReader, readPlain, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreConformanceCase } from './store-under-test.ts';

const takeOverCase = casesWhen(storeCase, ({ takeOver }) => takeOver);

/** Cases about deletion, and about owners and readers that began before it. */
export const deletingCases: readonly StoreConformanceCase[] = [
  storeCase('a deleted conversation is gone, and all others stay', async ({ store, begin }) => {
    const [author, other] = [await begin(), await begin()];
    await author.append({ events: 1 });
    await author.journal.close();
    await other.journal.close();
    await store.delete(author.id);
    await rejectsWith('NOT_FOUND', 'open', store.open(author.id, { create: 'never', owner: 'a' }));
    assert.deepEqual(await readStored(store, other.id), other.written);
  }),
  storeCase('a deleted conversation is no longer listed', async ({ store, begin }) => {
    const [author, other] = [await begin(), await begin()];
    await author.journal.close();
    await other.journal.close();
    await store.delete(author.id);
    assert.deepEqual(
      (await store.list()).items.map(({ id }) => id),
      [other.id],
    );
  }),
  storeCase('deleting a missing or deleted conversation resolves', async ({ store, begin, platform }) => {
    await store.delete(platform.id());
    const author = await begin();
    await author.journal.close();
    await store.delete(author.id);
    await store.delete(author.id);
  }),
  storeCase(
    'a conversation created again under the id of a deleted one starts with nothing',
    async ({ store, begin }) => {
      const author = await begin();
      await author.append({ events: 3 });
      await author.journal.saveSnapshot({ seq: author.journal.end.seq, version: 7, data: {} });
      await author.journal.close();
      await store.delete(author.id);
      const again = await begin({ id: author.id });
      await again.append({ events: 1 });
      assert.deepEqual(await readPlain(again.journal), again.written);
      assert.equal(await again.journal.snapshot(), undefined);
      assert.equal(await again.journal.locate(author.events[0]?.id ?? ''), undefined);
      await again.journal.close();
    },
  ),
  storeCase('a closed journal of a deleted conversation brings nothing back', async ({ store, begin }) => {
    const author = await begin();
    await author.journal.close();
    await store.delete(author.id);
    await assert.rejects(author.append({ events: 1 }));
    await rejectsWith('NOT_FOUND', 'open', store.open(author.id, { create: 'never', owner: 'a' }));
  }),
  storeCase(
    'deleting a conversation of another owner rejects OWNED, and the owner continues',
    async ({ again, begin }) => {
      const author = await begin();
      const other = await again();
      await rejectsWith('OWNED', 'delete', other.delete(author.id));
      await author.append({ events: 1 });
      assert.deepEqual(await readStored(other, author.id), author.written);
      await author.journal.close();
      await other.close();
    },
    ({ shared }) => shared,
  ),
  takeOverCase('a stale owner does not bring a deleted conversation back', async ({ store, takeOver, begin }) => {
    assert.ok(takeOver, 'the harness announced takeOver');
    const author = await begin();
    const next = await takeOver(author.id);
    await next.close();
    await store.delete(author.id);
    const late = await author.append({ events: 1 }).catch((error: unknown) => error);
    assert.ok(isStoreError(late), `the late append rejects, but gave ${JSON.stringify(late)}`);
    await author.journal.close();
    await rejectsWith('NOT_FOUND', 'open', store.open(author.id, { create: 'never', owner: 'a' }));
  }),
  storeCase('a reader of a deleted conversation shows nothing of a new one with its id', async ({ store, begin }) => {
    const author = await begin();
    await author.append({ events: 1 });
    await author.journal.close();
    const reader = await openReader(store, author.id);
    assert.deepEqual(await readPlain(reader), author.written);
    await store.delete(author.id);
    const again = await begin({ id: author.id });
    for (let at = 0; at < 3; at++) await again.append({ events: 2 });
    // The reader may reject, or show what it knew, but never the events of another conversation.
    const shown = await reader
      .refresh()
      .then(() => readPlain(reader))
      .catch((error: unknown) => {
        assert.ok(isStoreError(error), `a reader of what was deleted rejects with ${String(error)}`);
        return [];
      });
    const known = author.written.map((commit) => JSON.stringify(commit));
    for (const commit of shown) assert.ok(known.includes(JSON.stringify(commit)), JSON.stringify(commit));
    await reader.close();
    await again.journal.close();
  }),
  takeOverCase(
    'an owner from before a deletion is fenced off from a new conversation with the id',
    async ({ store, takeOver, begin }) => {
      assert.ok(takeOver, 'the harness announced takeOver');
      const author = await begin();
      await (await takeOver(author.id)).close();
      await store.delete(author.id);
      const again = await begin({ id: author.id });
      const late = await author.append({ events: 1 }).catch((error: unknown) => error);
      assert.ok(isStoreError(late), `the late append rejects, but gave ${JSON.stringify(late)}`);
      await author.journal.close();
      await again.append({ events: 1 });
      assert.deepEqual(await readPlain(again.journal), again.written);
      await again.journal.close();
    },
  ),
];
