import { ACTS, RandomLog } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { ConversationState, viewOf } from '@conv/core';
import { agentMessage, drafts, userMessage, type Event } from '@conv/core/events';
import { MemoryStore, toCommitSeq, type JournalReader } from '@conv/core/store';
import { modelViewOf } from '@conv/openhands/messages';

import { PastStates } from '../../src/past/past-states.ts';
import { PastViews } from '../../src/past/past-views.ts';
import { toPastView } from '../../src/past/to-past-view.ts';
import { acts } from './acts.ts';

test('P6: the view at a point is the view of the branch there, in any order of looking', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), async (history, looks, isRead) => {
      const random = await RandomLog.begin();
      for (const step of history) await random.take(step);
      const { state } = random;
      const past = new PastStates(state);
      // the pass that makes the outline keeps views
      if (isRead) await past.outline();
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

test('P6: the messages of a long view are the same, whatever of it is settled, and however they are paged', async () => {
  let settled = 0;
  // conversations that are long, and sometimes something else in them
  const usual = fc.constantFrom('say', 'say', 'call', 'settle', 'settle');
  const act = fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...ACTS) });
  const talks = fc.array(fc.record({ act, number: fc.nat(60) }), { minLength: 20, maxLength: 60 });
  const looks = fc.array(fc.record({ place: fc.nat(), from: fc.nat(30), limit: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(talks, looks, fc.boolean(), async (history, points, hasPrompt) => {
      const random = await RandomLog.begin();
      if (hasPrompt) await random.state.append([drafts.systemPrompt('Be brief.', [])]);
      for (const step of history) {
        await random.take(step);
        if (step.number === 60) await random.state.append([drafts.systemPrompt('Be brief again.', [])]);
      }
      const { state } = random;
      const { reader, mask } = state;
      const past = new PastViews(reader, mask, { settledAt: 4, kept: 2 });
      const whole = new PastViews(reader, mask);
      for (const { place, from, limit } of points) {
        const id = (await state.events.idAt(place % Math.max(1, state.events.length))) ?? null;
        const page = from % 3 === 0 ? { limit } : { from, limit };
        const [short, long] = [await past.of(id), await whole.of(id)];
        if (short.settled) settled++;
        expect(await modelViewOf(toPastView(short, 0, state), page)).toEqual(
          await modelViewOf(toPastView(long, 0, state), page),
        );
      }
    }),
    { numRuns: 200 },
  );
  expect(settled).toBeGreaterThan(20);
});

test('a view near another one reads the events between them and no others', async () => {
  const { state, counting, read } = await countedLog();
  for (let at = 0; at < 300; at++) await state.append([userMessage(`${at}`)]);
  const views = new PastViews(counting, state.mask);
  const reads: number[] = [];
  for (const number of [200, 205, 202, 200]) {
    const before = read();
    const view = await views.of((await state.events.idAt(number)) ?? null);
    expect(view.size).toBe(number + 1);
    reads.push(read() - before);
  }
  expect(reads).toEqual([201, 5, 2, 0]);
});

test('a view of a known long log without condensations reads only a part of it', async () => {
  const { state, counting, read } = await countedLog();
  await state.append([drafts.systemPrompt('Be brief.', [])]);
  for (let turn = 0; turn < 4_000; turn++)
    await state.append([userMessage(`question ${turn}`), agentMessage({ content: 'yes', llm_response_id: `${turn}` })]);
  const views = new PastViews(counting, state.mask);
  const look = async (event: number): Promise<number> => {
    const before = read();
    const view = toPastView(await views.of((await state.events.idAt(event)) ?? null), event + 1, {
      reader: counting,
      mask: state.mask,
    });
    const { count, messages } = await modelViewOf(view, { limit: 50 });
    expect([count, messages.at(-1)?.events]).toEqual([event + 1, [event]]);
    return read() - before;
  };
  await look(8_000);
  for (const event of [7_001, 100, 4_444, 2_222]) expect(await look(event)).toBeLessThan(1_500);
  expect(await look(2_224)).toBeLessThan(10);
  const { count, messages, first } = await modelViewOf(await new PastStates(state).view({ event: 8_000 }), {
    from: 700,
    limit: 2,
  });
  expect([count, first, messages.map(({ events }) => events)]).toEqual([8_001, 700, [[700], [701]]]);
});

test('a first look anywhere in a long log reads a part of it, once its outline was read', async () => {
  const { state, counting, read } = await countedLog();
  for (let turn = 0; turn < 4_000; turn++)
    await state.append([userMessage(`question ${turn}`), agentMessage({ content: 'yes', llm_response_id: `${turn}` })]);
  // another branch, which goes back far
  const back = (await state.events.idAt(1_000)) ?? null;
  await state.transaction((transaction) => transaction.moveHead(back));
  for (let turn = 0; turn < 1_000; turn++) await state.append([userMessage(`again ${turn}`)]);
  const { mask, events, platform } = state;
  const past = new PastStates({ reader: counting, mask, events, platform });
  await past.outline();
  const looks: (readonly [event: number, size: number])[] = [];
  for (const event of [6_001, 501, 3_333, 8_900]) {
    const before = read();
    const { state: there } = await past.at({ event });
    expect(there.leafEventId).toBe(await events.idAt(event));
    const { count } = await modelViewOf(await past.view({ event }), { limit: 1 });
    looks.push([event, count]);
    expect(read() - before).toBeLessThan(3_000);
  }
  expect(looks).toEqual([
    [6_001, 6_002],
    [501, 502],
    [3_333, 3_334],
    // messages of a person behind each other are one
    [8_900, 1_001],
  ]);
});

/** Makes an empty log whose reader counts the commits that are read. */
async function countedLog(): Promise<{ state: ConversationState; counting: JournalReader; read: () => number }> {
  const journal = await new MemoryStore().open('00000000-0000-4000-8000-000000000001', { owner: 'test' });
  let count = 0;
  const counting = Object.create(journal, {
    end: { get: () => journal.end },
    damage: { get: () => journal.damage },
    locate: { value: (id: string) => journal.locate(id) },
    commits: {
      value: async function* (range?: Parameters<JournalReader['commits']>[0]) {
        for await (const commit of journal.commits(range)) {
          count++;
          yield commit;
        }
      },
    },
  }) as JournalReader;
  return { state: await ConversationState.open(journal), counting, read: () => count };
}
