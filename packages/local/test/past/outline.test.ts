import { RandomLog, spent, toolCall } from '@conv/testing-harness';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConversationState, projections, type Masker, type pastViews } from '@conv/core';
import { drafts, userMessage } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { MemoryStore } from '@conv/core/store';

import { PastStates } from '../../src/past/past-states.ts';
import { readOnlyJournal } from '../../src/past/read-only-journal.ts';
import { acts } from './acts.ts';

type Outline = pastViews.Outline;
type OutlineMark = pastViews.OutlineMark;

const { agentError, condensation, conversationError, pause, userReject } = drafts;

/** Puts a newer outline over an older one, as a reader does. */
function over(older: Outline, newer: Outline): Outline {
  const marks = [...older.marks.filter(({ event }) => event < newer.from), ...newer.marks];
  const cost = [...older.cost.filter(({ event }) => event < newer.from), ...newer.cost];
  return { ...newer, from: 0, marks, cost };
}

/** Marks in an order that does not depend on when marks of the same event came. */
function inOrder({ marks, ...outline }: Outline): unknown {
  const key = ({ event, kind }: OutlineMark): string => `${String(event).padStart(9, '0')} ${kind}`;
  return { ...outline, marks: marks.toSorted((one, other) => (key(one) < key(other) ? -1 : 1)) };
}

test('P6: outlines read in parts, as the log grows, are the outline of a log that is read at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 3 }), async (parts) => {
      const random = await RandomLog.begin();
      let shown: Outline = { from: 0, events: 0, marks: [], cost: [] };
      for (const part of parts) {
        for (const step of part) await random.take(step);
        shown = over(shown, await new PastStates(random.state).outline({ after: shown.events }));
        const journal = readOnlyJournal(random.journal);
        const fresh = new ConversationState({}, journal, await projections.readState(journal));
        expect(inOrder(shown)).toEqual(inOrder(await new PastStates(fresh).outline()));
        for (const { event, last } of shown.marks) expect(event <= last && last < shown.events).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

test('P6: the joined parts of an outline that is read without time are the outline of the log', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (steps) => {
      const random = await RandomLog.begin();
      for (const step of steps) await random.take(step);
      const end = random.state.events.length;
      const past = new PastStates(random.state);
      let shown: Outline = { from: 0, events: 0, marks: [], cost: [] };
      do {
        shown = over(shown, await past.outline({ after: shown.events, within: 0 }));
        for (const { event, last } of shown.marks) expect(event <= last && last < shown.events).toBe(true);
      } while (shown.events < end);
      expect(inOrder(shown)).toEqual(inOrder(await past.outline()));
      expect(shown.events).toBe(end);
    }),
    { numRuns: 30 },
  );
});

test('a part of an outline does not wait for a call that reads the whole log', async () => {
  let milliseconds = 0;
  // each look at the clock takes a millisecond
  const platform = { ...systemPlatform, monotonic: () => milliseconds++ };
  const state = new ConversationState({ platform });
  for (let number = 0; number < 1000; number++) await state.append([userMessage(`${number}`)]);
  const past = new PastStates(state);
  const order: string[] = [];
  const whole = past.outline().finally(() => order.push('whole'));
  const part = past.outline({ within: 300 }).finally(() => order.push('part'));
  const { events, marks } = await part;
  expect(events).toBeGreaterThan(0);
  expect(events).toBeLessThan(1000);
  expect(marks.at(-1)?.last).toBe(events - 1);
  expect((await whole).events).toBe(1000);
  expect(order).toEqual(['part', 'whole']);
  expect((await past.outline({ within: 0 })).events).toBe(1000);
});

test('P6: the cost at a point of the outline is the cost of the state at that event', async () => {
  const state = new ConversationState();
  for (const tokens of [10, 20, 30]) {
    await state.append([userMessage('spend')], { records: [spent(tokens)] });
    await state.append([userMessage('save')]);
  }
  const past = new PastStates(state);
  const { cost } = await past.outline();
  expect(cost.map(({ event }) => event)).toEqual([0, 2, 4]);
  for (const { event, total } of cost) expect((await past.at({ event })).state.metrics.totalCost).toBe(total);
});

describe('an outline marks', () => {
  const marksOf = async (state: ConversationState): Promise<readonly string[]> => {
    const { marks } = await new PastStates(state).outline();
    return marks.map(({ kind, event, label }) => `${kind} ${event} ${label}`.trim());
  };

  test('an outline marks messages, errors, rejections, condensations and pauses by their words', async () => {
    const state = new ConversationState();
    await state.append([userMessage('Do  it\nnow'), toolCall('1', 'r1'), toolCall('2', 'r1')]);
    const [first, second] = state.pendingActions;
    if (!first || !second) throw new Error('two calls are pending');
    await state.append([agentError(first, 'no such file'), userReject(second, 'too risky')]);
    await state.append([condensation({ forgotten_event_ids: [], llm_response_id: 'c', summary: 'so far' }), pause()]);
    await state.append([conversationError('MaxIterationsReached', 'stop', { kind: 'unknown', retryable: false })]);
    expect(await marksOf(state)).toEqual([
      'message 0 Do it now',
      'approval 1 lookup',
      'error 3 no such file',
      'rejection 4 too risky',
      'condensation 5 so far',
      'pause 6',
      'error 7 MaxIterationsReached: stop',
    ]);
  });

  test('an outline marks another model, policy and branch where the change holds first', async () => {
    const state = new ConversationState();
    await state.append([userMessage('one')]);
    await state.update({ set: { agent: { llm: { model: 'model-b' } } } });
    await state.append([userMessage('two')]);
    await state.update({ set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
    await state.transaction((transaction) => transaction.moveHead(null));
    await state.append([userMessage('three')]);
    expect(await marksOf(state)).toEqual([
      'message 0 one',
      'message 1 two',
      'model 1 model-b',
      'message 2 three',
      'branch 2',
      'policy 2 AlwaysConfirm',
    ]);
  });

  test('an outline marks the event at which a fork goes its own way', async () => {
    const store = new MemoryStore();
    const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;
    const source = await ConversationState.open(await store.open(ids[0], { owner: 'test' }), { id: ids[0] });
    await source.append([userMessage('one'), userMessage('two')]);
    const forkedFrom = { conversationId: ids[0], eventId: null };
    await store.fork(ids[0], ids[1], { patch: { set: { id: ids[1], forkedFrom } } });
    const fork = await ConversationState.open(await store.open(ids[1], { owner: 'test' }));
    await fork.append([userMessage('three')]);
    const { marks } = await new PastStates(fork).outline();
    expect(marks.filter(({ kind }) => kind === 'fork')).toMatchObject([{ event: 2, label: ids[0] }]);
  });
});

test('P12: dense marks are joined, rare ones stay exact, and each is counted once', async () => {
  const state = new ConversationState();
  const past = new PastStates(state);
  const size = 3000;
  for (let at = 0; at < size; at += 100)
    await state.append([...Array.from({ length: 99 }, (_, more) => userMessage(`${at + more}`)), pause()]);
  for (const buckets of [16, 256, 1024]) {
    const { marks, events } = await past.outline({ buckets });
    expect(events).toBe(size);
    const messages = marks.filter(({ kind }) => kind === 'message');
    expect(messages.length).toBeLessThanOrEqual(buckets);
    expect(messages.reduce((sum, { count }) => sum + count, 0)).toBe((size / 100) * 99);
    expect(messages.every(({ event, label }) => label === `${event}`)).toBe(true);
    for (const [index, { last }] of messages.entries()) expect(last).toBeLessThan(messages[index + 1]?.event ?? size);
  }
  const exact = (await past.outline()).marks.filter(({ kind }) => kind === 'pause');
  expect(exact.map(({ event }) => event)).toEqual(Array.from({ length: size / 100 }, (_, at) => at * 100 + 99));
  const newest = await past.outline({ after: size - 1 });
  expect(newest.from).toBeGreaterThan(size - 100);
});

test('P9: a label shows no secret, also if its value became known after the label was made', async () => {
  const secrets: string[] = [];
  const mask = (text: string): string =>
    secrets.reduce((rest, value) => rest.replaceAll(value, '<secret-hidden>'), text);
  const masker: Masker = {
    get version() {
      return secrets.length;
    },
    mask,
    stream: () => ({ write: mask, end: () => '' }),
  };
  const state = new ConversationState({ masker });
  const past = new PastStates(state);
  const late = `late-${'x'.repeat(90)}`;
  await state.append([userMessage(`${'a'.repeat(40)} ${late}`)]);
  expect((await past.outline()).marks[0]?.label).toContain('late-xx');
  secrets.push(late);
  expect((await past.outline()).marks[0]?.label).toBe(`${'a'.repeat(40)} <secret-hidden>`);
});

test('an outline refuses options that make no sense', async () => {
  const state = new ConversationState();
  const past = new PastStates(state);
  const numbers = [
    { after: -1 },
    { after: 0.5 },
    { buckets: 8 },
    { buckets: 5000 },
    { within: -1 },
    { within: Number.NaN },
  ];
  for (const options of [...numbers, { bucket: 20 } as object])
    await expect(past.outline(options)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await past.outline()).toEqual({ from: 0, events: 0, marks: [], cost: [] });
});
