import assert from 'node:assert/strict';

import { projections } from '@conv/core';
import { isStoreError, toCommitSeq, type ConversationStore } from '@conv/core/store';
import type { Author } from './author.ts';
import { openReader, readStored, rejectsWith } from './expect-store.ts';
import { storeCase, type StoreConformanceCase } from './store-under-test.ts';

/** Cases about checks and repairs of a store. */
export const checkingCases: readonly StoreConformanceCase[] = [
  storeCase(
    'check of an undamaged conversation counts its commits and events and finds nothing',
    async ({ store, begin }) => {
      const author = await written(await begin());
      const { commits, events, findings } = await store.check(author.id);
      assert.deepEqual(findings, []);
      assert.deepEqual({ commits, events }, { commits: author.written.length, events: author.events.length });
      await author.append({ events: 1 });
    },
  ),
  storeCase(
    'check of a conversation that is written meanwhile finds nothing wrong',
    async ({ store, begin, platform }) => {
      const author = await written(await begin());
      for (let round = 0; round < 6; round++) {
        const done = new AbortController();
        const checking = store.check(author.id).finally(() => done.abort());
        // a store that takes long to check would be given more to check in each round
        for (let appended = 0; !done.signal.aborted && appended < 40; appended++) {
          await author.append({ events: 1, patch: { set: { title: `title ${author.written.length}` } } });
          await platform.nextTurn();
        }
        assert.deepEqual((await checking).findings, []);
      }
      await author.journal.close();
    },
  ),
  storeCase(
    'check without an id looks at what all conversations share and finds nothing wrong',
    async ({ store, begin }) => {
      await (await written(await begin())).journal.close();
      assert.deepEqual((await store.check(undefined)).findings, []);
    },
  ),
  storeCase(
    'check rejects NOT_FOUND for a conversation that is not there and makes nothing',
    async ({ store, platform }) => {
      const id = platform.id();
      await rejectsWith('NOT_FOUND', 'check', store.check(id));
      await rejectsWith('NOT_FOUND', 'repair', store.check(id, { repair: true }));
      assert.deepEqual((await store.list()).items, []);
    },
  ),
  storeCase('check that is aborted rejects with the reason of its signal', async ({ store, begin }) => {
    const author = await written(await begin());
    const reason = new Error('enough');
    await assert.rejects(store.check(author.id, { signal: AbortSignal.abort(reason) }), reason);
    await author.journal.close();
  }),
  storeCase('check reports its progress, up to the end of the log', async ({ store, begin }) => {
    const author = await written(await begin());
    const told: number[] = [];
    await store.check(author.id, { onProgress: ({ done, of }) => told.push(done, of) });
    assert.deepEqual(told.slice(-2), [author.written.length, author.written.length]);
    await author.journal.close();
  }),
  storeCase('a repair changes nothing in an undamaged conversation', async ({ store, begin }) => {
    const author = await written(await begin({ title: 'whole' }));
    await author.journal.close();
    const before = await store.list();
    const { epoch } = author.journal;
    const next = await epochOf(store, author.id);
    const { findings } = await store.check(author.id, { repair: true });
    assert.deepEqual(findings, []);
    assert.deepEqual(await store.list(), before);
    assert.deepEqual(await readStored(store, author.id), author.written);
    assert.equal(await epochOf(store, author.id), next + (next - epoch), 'a repair without findings owns nothing');
  }),
  storeCase(
    'check reads every record and names a damaged record',
    async ({ store, again, damageRecord, begin }) => {
      const [author, neighbour] = [await written(await begin()), await written(await begin())];
      await author.journal.close();
      await neighbour.journal.close();
      await store.close();
      await damageRecord?.(author.id, toCommitSeq(3));
      const other = await again();
      const { findings } = await other.check(author.id);
      const named = findings.filter(({ severity }) => severity !== 'stale');
      assert.ok(
        named.some(({ message }) => /\b3\b/.test(message)),
        `the findings name commit 3: ${JSON.stringify(findings)}`,
      );
      assert.deepEqual((await other.check(neighbour.id)).findings, []);
    },
    (features) => features.damageRecord === true && features.shared,
  ),
  storeCase(
    'check names a loss that the log records as known',
    async ({ store, again, damageRecord, begin }) => {
      const author = await written(await begin());
      const seq = toCommitSeq(3);
      const damage = [{ from: seq, to: seq, reason: 'it was lost earlier', restored: [] }];
      await author.append({ patch: { set: { ...DISTRUSTED, damage } } });
      await author.journal.close();
      await store.close();
      await damageRecord?.(author.id, seq);
      const { findings } = await (await again()).check(author.id);
      const named = findings.filter(({ part }) => part === 'log').map(({ severity }) => severity);
      assert.deepEqual(named, ['known'], `the loss of commit 3 is on record: ${JSON.stringify(findings)}`);
    },
    (features) => features.damageRecord === true && features.shared,
  ),
  storeCase(
    'check names settings that may be lost as known until they are confirmed',
    async ({ store, begin }) => {
      const author = await written(await begin());
      await author.append({ patch: { set: DISTRUSTED } });
      const { findings } = await store.check(author.id);
      const named = findings.map(({ part, severity }) => `${part} ${severity}`);
      assert.deepEqual(named, ['summary known'], `nobody has confirmed the settings: ${JSON.stringify(findings)}`);
      await author.append({ patch: { set: { damaged: false } } });
      assert.deepEqual((await store.check(author.id)).findings, []);
      await author.journal.close();
    },
    (features) => features.damageRecord === true && features.shared,
  ),
  storeCase(
    'a state read from a snapshot, and past states, know of a damaged record before it',
    async ({ store, again, damageRecord, begin }) => {
      const author = await written(await begin({ maxIterations: 7 }));
      const behind = author.snapshot.seq;
      await author.journal.saveSnapshot(author.snapshot);
      await author.append({ events: 1 });
      await author.journal.close();
      await store.close();
      await damageRecord?.(author.id, toCommitSeq(3));
      const other = await again();
      for (const to of [undefined, behind]) {
        const reader = await openReader(other, author.id);
        const { damaged, confirmationPolicy, maxIterations } = (await projections.readState(reader, { to })).fields;
        await reader.close();
        const expected = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' }, maxIterations: 7 };
        assert.deepEqual({ damaged, confirmationPolicy, maxIterations }, expected);
      }
    },
    (features) => features.damageRecord === true && features.shared,
  ),
  storeCase(
    'the log of another conversation is refused and named with both ids, and a repair leaves it as it is',
    async ({ store, again, swapLogs, begin, platform }) => {
      const authors = [await written(await begin({ title: 'one' })), await written(await begin({ title: 'other' }))];
      for (const { journal } of authors) await journal.close();
      await store.close();
      const ids = authors.map(({ id }) => id) as [string, string];
      await swapLogs?.(...ids);
      const second = await again();
      for (const id of ids) {
        for (const refused of [
          () => second.read(id),
          () => second.open(id, { owner: 'next' }),
          () => second.fork(id, platform.id(), { patch: {} }),
        ])
          assertNames(await corruption(refused()), ids);
        for (const repair of [false, true]) assertNames(await worst(second, id, repair), ids);
      }
      await second.close();
      await swapLogs?.(...ids);
      const third = await again();
      for (const { id, written: expected } of authors) {
        assert.deepEqual(await readStored(third, id), expected);
        assert.deepEqual((await third.check(id)).findings, []);
      }
    },
    (features) => features.swapLogs === true && features.shared,
  ),
];

/** Resolves with the epoch of the next owner, which opens the conversation and gives it up. */
async function epochOf(store: ConversationStore, id: string): Promise<number> {
  const journal = await store.open(id, { create: 'never', owner: 'next' });
  await journal.close();
  return journal.epoch;
}

/** Resolves with the message of the error that a promise rejects with, which is `CORRUPT`. */
async function corruption(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (isStoreError(outcome, 'CORRUPT')) return outcome.message;
  throw new assert.AssertionError({ message: 'the log of another conversation is CORRUPT', actual: outcome });
}

/** Resolves with what a check finds: the messages of what is lost, or of its error. */
async function worst(store: ConversationStore, id: string, repair: boolean): Promise<string> {
  try {
    const { findings } = await store.check(id, { repair });
    return findings.flatMap(({ message, repaired }) => (repaired ? [] : message)).join('\n');
  } catch (error) {
    if (isStoreError(error, 'CORRUPT')) return error.message;
    throw error;
  }
}

function assertNames(text: string, ids: readonly string[]): void {
  for (const id of ids)
    assert.ok(text.includes(id), `expected conversation ${id} to be named, found ${text || 'nothing'}`);
}

/** The settings of a state that damage may have taken settings from. */
const DISTRUSTED = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;

/** Writes commits with and without events after the first. */
async function written(author: Author): Promise<Author> {
  for (let at = 0; at < 6; at++) await author.append({ events: (at + 1) % 3 });
  return author;
}
