import assert from 'node:assert/strict';
import { inspect } from 'node:util';

import { isStoreError, type Journal, type JournalReader } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import type { Author } from './author.ts';
import { openReader } from './expect-store.ts';
import { storeCase, type StoreBench, type StoreConformanceCase } from './store-under-test.ts';

const lateCase = casesWhen(storeCase, ({ delayWrite }) => delayWrite === true);

/** True if the write comes in before the next step. Each twice, because a harness may delay writes in two ways, in turn. */
const ROUNDS = [true, true, false, false];

/** Cases about writes that the backend executes after it reported an error for them to the store. */
export const lateWriteCases: readonly StoreConformanceCase[] = [
  lateCase('a late write does not contradict the answer of its append', async (bench) => {
    const author = await bench.begin();
    for (const isEarly of ROUNDS) {
      const late = await delayedAppend(bench, author);
      if (isEarly) await late.arrive();
      // A journal may end at an unknown outcome. The next owner finds out.
      const next = await append(bench, author).catch(async (error: unknown) => {
        const isLeftOpen = late.told === 'unknown' && isStoreError(error, 'OUTCOME_UNKNOWN');
        assert.ok(isLeftOpen, `the append behind it rejects with ${inspect(error)}`);
        await author.reopen(bench.store);
        return append(bench, author);
      });
      await late.arrive();
      const found = await idsOf(author.journal);
      assert.deepEqual(found, [...late.logWithin(found), next]);
      await assertStored(bench, author, found);
      await author.reopen(bench.store);
      assert.deepEqual(await idsOf(author.journal), found, 'the next owner finds the same');
    }
    await author.journal.close();
  }),
  lateCase(
    'a late write of a fenced owner is not part of the log',
    async (bench) => {
      const { takeOver } = bench;
      assert.ok(takeOver, 'the harness announced takeOver');
      const author = await bench.begin();
      for (const isEarly of ROUNDS) {
        const late = await delayedAppend(bench, author);
        if (isEarly) await late.arrive();
        const stale = author.journal;
        author.journal = await takeOver(author.id);
        await assertUnchanged(bench, author, late);
        await assert.rejects(append(bench, author, stale), 'an append of the earlier owner rejects');
      }
      await author.journal.close();
    },
    ({ takeOver }) => takeOver,
  ),
  lateCase('a late write of an owner that has closed is not part of the log', async (bench) => {
    const author = await bench.begin();
    for (const isEarly of ROUNDS) {
      const late = await delayedAppend(bench, author);
      if (isEarly) await late.arrive();
      await author.reopen(bench.store);
      await assertUnchanged(bench, author, late);
    }
    await author.journal.close();
  }),
  lateCase('a late write brings back nothing of a deleted conversation', async (bench) => {
    const { store } = bench;
    for (const isEarly of ROUNDS) {
      let author = await bench.begin();
      const late = await delayedAppend(bench, author);
      await author.journal.close();
      await store.delete(author.id);
      if (isEarly) await late.arrive();
      // The id is free again, even after a late write.
      author = await bench.begin({ id: author.id });
      await append(bench, author);
      const made = await idsOf(author.journal);
      await late.arrive();
      await assertStored(bench, author, made);
      await assertStored(bench, author, [...made, await append(bench, author)]);
      await author.journal.close();
    }
  }),
];

/** An append whose write is held back. */
interface LateAppend {
  /** The answer of the append about its commit. */
  readonly told: 'stored' | 'refused' | 'unknown';
  /** Lets the backend execute the write, once. */
  readonly arrive: () => Promise<void>;
  /** Returns the part of a log up to the commit. Fails if the log contradicts the answer of the append, or has the commit twice. */
  readonly logWithin: (found: readonly string[]) => readonly string[];
}

/** Appends a commit whose write the backend holds back. The commit before it is stored. */
async function delayedAppend(bench: StoreBench, author: Author): Promise<LateAppend> {
  assert.ok(bench.delayWrite, 'the harness announced delayWrite');
  await append(bench, author);
  const before = await idsOf(author.journal);
  const carryOut = bench.delayWrite();
  let arrived: Promise<void> | undefined;
  const id = bench.platform.id();
  const outcome: unknown = await author.journal.append({ id, events: author.messages(1) }, author.fields).then(
    () => 'stored',
    (error: unknown) => error,
  );
  const told = outcome === 'stored' ? outcome : isStoreError(outcome, 'OUTCOME_UNKNOWN') ? 'unknown' : 'refused';
  return {
    told,
    arrive: () => (arrived ??= carryOut()),
    logWithin: (found) => {
      const isThere = found.includes(id);
      const log = isThere ? [...before, id] : before;
      if (told !== 'unknown') assert.equal(isThere, told === 'stored', `the append told: ${inspect(outcome)}`);
      assert.deepEqual(found.slice(0, log.length), log);
      assert.ok(!found.slice(log.length).includes(id), 'the commit is stored once');
      return log;
    },
  };
}

/** Lets the write come in. The log stays what the present owner found, and this owner writes after that. */
async function assertUnchanged(bench: StoreBench, author: Author, { arrive, logWithin }: LateAppend): Promise<void> {
  const found = await idsOf(author.journal);
  assert.deepEqual(found, logWithin(found));
  await arrive();
  await assertStored(bench, author, found);
  const log = [...found, await append(bench, author)];
  await assertStored(bench, author, log);
  await author.reopen(bench.store);
  await assertStored(bench, author, log);
}

/** Passes when the owner and a new reader find these commits. */
async function assertStored({ store }: StoreBench, { id, journal }: Author, log: readonly string[]): Promise<void> {
  assert.deepEqual(await idsOf(journal), log, 'the owner finds the log');
  const reader = await openReader(store, id);
  assert.deepEqual(await idsOf(reader), log, 'a reader finds the log');
  await reader.close();
}

/** Appends a commit, and resolves with its id. The author does not remember it. */
async function append({ platform }: StoreBench, author: Author, journal: Journal = author.journal): Promise<string> {
  const id = platform.id();
  await journal.append({ id, events: author.messages(1) }, author.fields);
  return id;
}

/** Reads the ids of all commits. */
async function idsOf(reader: JournalReader): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id, seq } of reader.commits()) {
    assert.equal(seq, ids.length, 'commits have consecutive numbers');
    ids.push(id);
  }
  return ids;
}
