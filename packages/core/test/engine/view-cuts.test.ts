import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { agentMessage, isEvent, stampEvent, userMessage, type Event } from '../../src/events/index.ts';
import { condensation } from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { condensableView } from '../../src/engine/view/view-cuts.ts';
import { modelEvents, ViewFold } from '../../src/engine/view/view.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import { call, RandomHistory, steps } from './random-history.ts';

/** Condenses what lies between two cuts, and expects the model's view without it, and with the summary in its place. */
async function forgetBetweenCuts(state: ConversationState, one: number, other: number): Promise<void> {
  const { events, cuts, offsets } = await state.condensableView();
  expect(events).toEqual(await state.modelView());
  expect([cuts[0], cuts.at(-1)]).toEqual([0, events.length]);
  const [start = 0, end = 0] = [cuts[one % cuts.length] ?? 0, cuts[other % cuts.length] ?? 0].toSorted((a, b) => a - b);
  if (start === end) return;
  const [condensed] = await state.append([
    condensation({
      forgotten_event_ids: events.slice(start, end).map(({ id }) => id),
      summary: 'what was',
      summary_offset: offsets[start] ?? 0,
      llm_response_id: 'summary',
    }),
  ]);
  const after = (await state.modelView()).map(({ id }) => id);
  const expected = events.map(({ id }) => id);
  expected.splice(start, end - start, `${condensed?.id}-summary`);
  expect(after).toEqual(expected);
}

test(
  'P5: forgetting events between two cuts takes nothing else along, and the summary takes their place',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), fc.nat(), async (history, one, other) => {
        const random = await RandomHistory.begin();
        for (const step of history) await random.take(step);
        await forgetBetweenCuts(random.state, one, other);
      }),
      { numRuns: 400 },
    );
  },
);

test('P5: a call without a result does not move the summary if its response continues behind a message', async () => {
  const random = await RandomHistory.begin();
  await random.take({ do: 'act', calls: [false, true], thinking: false });
  await random.take({ do: 'act', calls: [true], thinking: true });
  await random.take({ do: 'result', which: 0, how: 'observation' });
  await random.take({ do: 'result', which: 0, how: 'observation' });
  await random.take({ do: 'interrupt' });
  await random.take({ do: 'branch', which: 18 });
  const { cuts } = await random.state.condensableView();
  await forgetBetweenCuts(random.state, 0, 30_322_522 % cuts.length);
});

test('P5: no batch, no call and its result, and no run of reasoning is cut in two', async () => {
  const random = await RandomHistory.begin();
  await random.take({ do: 'say' });
  await random.take({ do: 'act', calls: [true, true], thinking: false });
  await random.take({ do: 'result', which: 0, how: 'observation' });
  await random.take({ do: 'result', which: 0, how: 'reject' });
  await random.take({ do: 'act', calls: [true], thinking: true });
  await random.take({ do: 'result', which: 0, how: 'observation' });
  await random.take({ do: 'act', calls: [true], thinking: false });
  await random.take({ do: 'result', which: 0, how: 'error' });
  await random.take({ do: 'say' });
  const { events, cuts } = await random.state.condensableView();
  expect(events).toHaveLength(10);
  expect(cuts).toEqual([0, 1, 5, 9, 10]);
});

test('P5: a call without a result in the reasoning that a summary replaces does not move the summary', async () => {
  const random = await RandomHistory.begin();
  await random.take({ do: 'act', calls: [false], thinking: true });
  await random.take({ do: 'act', calls: [true], thinking: false });
  await random.take({ do: 'branch', which: 1 });
  await random.take({ do: 'result', which: 0, how: 'observation' });
  const { state } = random;
  const { events, cuts, offsets } = await state.condensableView();
  expect(events.map(({ kind }) => kind)).toEqual(['ActionEvent', 'ObservationEvent', 'MessageEvent']);
  expect(cuts).toEqual([0, 2, 3]);
  const forgotten = events.slice(0, 2).map(({ id }) => id);
  await state.append([
    condensation({
      forgotten_event_ids: forgotten,
      summary: 'what was',
      summary_offset: offsets[0] ?? -1,
      llm_response_id: 'summary',
    }),
  ]);
  expect((await state.modelView()).map(({ kind }) => kind)).toEqual(['CondensationSummaryEvent', 'MessageEvent']);
});

test('events that are not shown are no positions, but count for the place of a summary', async () => {
  const random = await RandomHistory.begin();
  await random.take({ do: 'say' });
  await random.take({ do: 'say' });
  await random.take({ do: 'request' });
  const [hidden, ...shown] = await random.state.modelView();
  const view = await random.state.condensableView(({ id }) => id !== hidden?.id);
  expect(view.events).toEqual(shown);
  expect([view.cuts, view.offsets, view.requested]).toEqual([[0, 1], [1], true]);
});

/** Counts how often an event is looked at, whatever of it. */
function watched(event: Event, looks: { count: number }): Event {
  return new Proxy(event, {
    get(target, name, receiver) {
      looks.count++;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

/** Returns a fold after this number of events and condensations, each down to ten events, and the events that one more step reads. */
function looksOfStep(size: number, condensations: number): { readonly looks: number; readonly held: number } {
  const looks = { count: 0 };
  const fold = new ViewFold();
  let number = 0;
  const take = (draft: Parameters<typeof stampEvent>[0]): void => {
    number++;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + number).toISOString().replace('Z', '000');
    fold.apply(watched(stampEvent(draft, { id: `event-${number}`, timestamp, parentId: null }), looks));
  };
  const say = (): void => take(agentMessage({ content: 'on it', llm_response_id: `response-${number}` }));
  for (let condensed = 1; condensed <= condensations; condensed++) {
    while (number < (size / condensations) * condensed - 1) say();
    const { events } = fold.view;
    const forgotten = events.slice(0, -10).map(({ id }) => id);
    take(
      condensation({
        forgotten_event_ids: forgotten,
        summary: 'so far',
        summary_offset: 0,
        llm_response_id: `summary-${number}`,
      }),
    );
  }
  looks.count = 0;
  take(call(`last-${size}`, `response-last-${size}`));
  const { view } = fold;
  const { cuts } = condensableView(view, modelEvents(view));
  return { looks: looks.count, held: view.events.length + cuts.length };
}

test('P12: a step looks at as much after 20,000 events with 50 condensations as after 1,000', () => {
  const small = looksOfStep(1000, 50);
  const large = looksOfStep(20_000, 50);
  expect(large).toEqual(small);
  expect(small.held).toBeLessThan(30);
});

test('P12: a loaded view reads no more of the log, whatever is condensed', async () => {
  const journal = await new MemoryStore().open(randomUUID(), { owner: 'test' });
  let reads = 0;
  const counting = new Proxy(journal, {
    get(target, name) {
      if (name === 'commits' || name === 'locate') reads++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const state = await ConversationState.open(counting);
  await state.append([userMessage('go')]);
  await state.modelView();
  reads = 0;
  for (let round = 0; round < 50; round++) {
    await state.append(Array.from({ length: 20 }, (_, at) => userMessage(`${round} ${at}`)));
    const { events, offsets } = await state.condensableView();
    expect(events.length).toBeLessThanOrEqual(23);
    const forgotten_event_ids = events.slice(1, -1).map(({ id }) => id);
    const summary = { summary: 'so far', summary_offset: offsets[1] ?? 0 };
    await state.append([condensation({ forgotten_event_ids, ...summary, llm_response_id: `${round}` })]);
  }
  expect((await state.modelView()).map(({ kind }) => kind)).toEqual([
    'MessageEvent',
    'CondensationSummaryEvent',
    'MessageEvent',
  ]);
  expect(reads).toBe(0);
});

test('P12: a view keeps no event that a condensation forgot', async () => {
  const { runInNewContext } = await import('node:vm');
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const fold = new ViewFold();
  const refs = Array.from({ length: 100 }, (_, number) => {
    const event = stampEvent(agentMessage({ content: 'on it', llm_response_id: `response-${number}` }), {
      id: `event-${number}`,
      timestamp: `2026-01-01T00:00:00.000${String(number).padStart(3, '0')}`,
      parentId: null,
    });
    fold.apply(event);
    return new WeakRef(event);
  });
  const ids = fold.view.events.map(({ id }) => id);
  fold.apply(
    stampEvent(
      condensation({
        forgotten_event_ids: ids,
        summary: 'so far',
        summary_offset: 0,
        llm_response_id: 'summary',
      }),
      { id: 'condensation', timestamp: '2026-01-01T00:00:01.000000', parentId: null },
    ),
  );
  // a weak reference stays strong until the turn that made it has ended
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(refs.filter((ref) => ref.deref() !== undefined)).toEqual([]);
  expect(fold.view.events.map((event) => isEvent(event, 'CondensationSummaryEvent'))).toEqual([true]);
});
