import fc from 'fast-check';
import { expect, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { PastCheckpoints } from '../../src/engine/past-checkpoints.ts';
import { MemoryStore, toCommitSeq, type JournalReader } from '../../src/store/index.ts';
import { RandomHistory, steps } from './random-history.ts';

const SMALL = { region: 4, step: 2, regions: 2, beginnings: 3 };

test('P6: a state found by checkpoints is the state of a full fold, in any order of looking', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, fc.array(fc.nat(), { maxLength: 40 }), async (history, later, looks) => {
      const random = await RandomHistory.begin();
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

test('after a first look at a region, a look in it folds a few commits, wherever it is in a long log', async () => {
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
  expect(counts.read(), 'another region is entered at its beginning').toBeLessThanOrEqual(512);
  await past.before(toCommitSeq(2_500));
  expect(counts.read(), 'the rest of a region is folded once').toBeLessThanOrEqual(512);
  for (const to of [2_100, 2_499, 2_333, 2_332, 5_480, 5_130]) {
    await past.before(toCommitSeq(to));
    expect(counts.read(), `a look at ${to}`).toBeLessThanOrEqual(32);
  }
  for (let to = 0; to < 6_000; to += 500) await past.before(toCommitSeq(to));
  counts.read();
  await past.before(toCommitSeq(5_600));
  expect(counts.read(), 'the region that was looked at last is kept').toBeLessThanOrEqual(512);
});
