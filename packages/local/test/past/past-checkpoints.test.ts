import { RandomLog } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ConversationState, foldJournal, projections } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, toCommitSeq, type JournalReader } from '@conv/core/store';

import { PastCheckpoints } from '../../src/past/past-checkpoints.ts';
import { acts } from './acts.ts';

const SMALL = { region: 4, step: 2, regions: 2, beginnings: 3 };

test('P6: a state found by checkpoints is the state of a full fold, in any order of looking', async () => {
  await fc.assert(
    fc.asyncProperty(acts, acts, fc.array(fc.nat(), { maxLength: 40 }), async (history, later, looks) => {
      const random = await RandomLog.begin();
      let reader = random.journal;
      let past = new PastCheckpoints(reader, SMALL);
      for (const more of [history, later]) {
        for (const step of more) await random.take(step);
        // a step may open the conversation again
        if (reader !== random.journal) past = new PastCheckpoints(random.journal, SMALL);
        reader = random.journal;
        for (const look of looks) {
          const to = toCommitSeq(look % (random.journal.end.seq + 1));
          expect(await past.before(to)).toEqual(await foldJournal(random.journal, { to }));
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** Counts the commits that are read. */
function counted(reader: JournalReader): { readonly reader: JournalReader; read(): number } {
  let count = 0;
  const counting = Object.create(reader, {
    commits: {
      value: async function* (range?: Parameters<JournalReader['commits']>[0]) {
        for await (const commit of reader.commits(range)) {
          count += 1;
          yield commit;
        }
      },
    },
    end: { get: () => reader.end },
    damage: { get: () => reader.damage },
    snapshot: { value: () => reader.snapshot() },
  }) as JournalReader;
  return {
    reader: counting,
    read() {
      const before = count;
      count = 0;
      return before;
    },
  };
}

test('a second look near the first one reads nothing, wherever it is in a long log', async () => {
  const store = new MemoryStore();
  const id = '00000000-0000-4000-8000-000000000001';
  const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
  for (let count = 0; count < 6_000; count++) await state.append([userMessage(`message ${count}`)]);
  await state.close();
  const stored = await store.read(id);
  if (!stored) throw new Error('the conversation is not there');
  const { reader, ...counts } = counted(stored);
  const past = new PastCheckpoints(reader);

  await past.before(toCommitSeq(5_500));
  expect(counts.read(), 'the first look folds the log').toBeGreaterThan(5_000);
  await past.before(toCommitSeq(2_100));
  expect(counts.read(), 'another region is entered at its beginning').toBeLessThanOrEqual(1024);
  for (const to of [2_100, 3_000, 2_499, 2_333, 2_332, 2_049, 3_072, 5_480, 5_130]) {
    await past.before(toCommitSeq(to));
    expect(counts.read(), `a look at ${to}`).toBe(0);
  }
  for (const event of [2_100, 3_000, 1_000]) expect(await past.holderOf(event)).toBe(event + 1);
  expect(counts.read(), 'the region that holds event 1000').toBeLessThanOrEqual(1024);
  expect(await new PastCheckpoints(reader).holderOf(1_000)).toBeUndefined();
});

test('the newest states of a long log are found from its snapshot, before and after it was read as a whole', async () => {
  const store = new MemoryStore();
  const id = '00000000-0000-4000-8000-000000000003';
  const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
  for (let count = 0; count < 2_500; count++) await state.append([userMessage(`message ${count}`)]);
  await state.close();
  const journal = await store.open(id, { owner: 'test' });
  const later = await ConversationState.open(journal);
  for (let count = 0; count < 3; count++) await later.append([userMessage(`later ${count}`)]);
  const { reader, ...counts } = counted(journal);
  const past = new PastCheckpoints(reader);
  const { seq } = journal.end;
  const expectEnds = async (few: number): Promise<void> => {
    for (const to of [seq, seq, seq - 1, seq - 3]) {
      const { projection, commit } = await past.lookAt(toCommitSeq(to));
      expect(commit?.seq).toBe(to - 1);
      expect(counts.read(), `a look at ${to}`).toBeLessThan(few);
      expect(projection).toEqual(await foldJournal(journal, { to: toCommitSeq(to) }));
      counts.read();
    }
  };
  // the newest commits before a snapshot are looked at for damage
  await expectEnds(600);
  await past.walk(projections.empty, journal.end.seq, async () => true);
  expect(counts.read()).toBe(seq);
  await expectEnds(1_025);
  await state.close();
});

test('P12: a region whose commits are too large to keep is read in small parts', async () => {
  const store = new MemoryStore();
  const id = '00000000-0000-4000-8000-000000000002';
  const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
  for (let count = 0; count < 100; count++) await state.append([userMessage('x'.repeat(100_000))]);
  await state.close();
  const stored = await store.read(id);
  if (!stored) throw new Error('the conversation is not there');
  const { reader, ...counts } = counted(stored);
  const past = new PastCheckpoints(reader);
  const reads: number[] = [];
  for (const to of [50, 60, 61, 90, 20, 21]) {
    const { projection, commit } = await past.lookAt(toCommitSeq(to));
    expect([projection.end.seq, commit?.seq]).toEqual([to, to - 1]);
    reads.push(counts.read());
  }
  expect(reads).toEqual([133, 0, 0, 32, 32, 0]);
});
