import { RandomLog } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ConversationState, viewOf } from '@conv/core';
import { drafts, userMessage, type Event } from '@conv/core/events';
import { MemoryStore, toCommitSeq, type JournalReader } from '@conv/core/store';

import { PastStates } from '../../src/past/past-states.ts';
import { PastViews } from '../../src/past/past-views.ts';
import { acts } from './acts.ts';

test('P6: the view at a point is the view of the branch there, in any order of looking', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.array(fc.nat(), { maxLength: 20 }), async (history, looks) => {
      const random = await RandomLog.begin();
      for (const step of history) await random.take(step);
      const { state } = random;
      const past = new PastStates(state);
      for (const look of looks) {
        const seq = toCommitSeq(look % (state.end.seq + 1));
        const { leafEventId } = (await past.at(seq)).state;
        const branch = leafEventId === null ? [] : await state.events.branch(leafEventId);
        const view = await past.view(seq);
        expect(view.events).toEqual(viewOf(branch).events);
        for (const { id } of view.events) {
          const number = view.numberOf(id);
          const found = number === undefined ? undefined : await state.events.at(number);
          expect(id === found?.id || id === `${found?.id}-summary`).toBe(true);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('the events that condensations hide are named in spans, with the condensation that hides them', async () => {
  const state = new ConversationState();
  const say = (from: number, to: number): Promise<readonly Event[]> =>
    state.append(Array.from({ length: to - from }, (_, at) => userMessage(`${from + at}`)));
  const first = await say(0, 6);
  const forget = async (events: readonly Event[]): Promise<void> => {
    const forgotten = events.map(({ id }) => id);
    const fields = { forgotten_event_ids: forgotten, llm_response_id: 'c', summary: 'so far', summary_offset: 1 };
    await state.append([drafts.condensation(fields)]);
  };
  await forget([first[1], first[2], first[4]].filter((event) => event !== undefined));
  await say(7, 9);
  const before = await new PastStates(state).view({ event: 5 });
  expect(before.hidden).toEqual([]);
  const past = await new PastStates(state).view({ event: 8 });
  expect(past.hidden).toEqual([
    { from: 1, to: 3, count: 2, by: 6 },
    { from: 4, to: 5, count: 1, by: 6 },
  ]);
  expect(past.events.map(({ id }) => past.numberOf(id))).toEqual([0, 6, 3, 5, 7, 8]);
  expect(past.end).toBe(9);
});

test('a view near another one reads the events between them and no others', async () => {
  const journal = await new MemoryStore().open('00000000-0000-4000-8000-000000000001', { owner: 'test' });
  const state = await ConversationState.open(journal);
  for (let at = 0; at < 300; at++) await state.append([userMessage(`${at}`)]);
  let read = 0;
  const counting = Object.create(journal, {
    end: { get: () => journal.end },
    locate: { value: (id: string) => journal.locate(id) },
    commits: {
      value: async function* (range?: Parameters<JournalReader['commits']>[0]) {
        for await (const commit of journal.commits(range)) {
          read++;
          yield commit;
        }
      },
    },
  }) as JournalReader;
  const views = new PastViews(counting);
  const reads: number[] = [];
  for (const number of [200, 205, 202, 200]) {
    const before = read;
    const view = await views.of((await state.events.idAt(number)) ?? null);
    expect(view.size).toBe(number + 1);
    reads.push(read - before);
  }
  expect(reads).toEqual([201, 5, 2, 0]);
});
