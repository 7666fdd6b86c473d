import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { userMessage, type Event } from '../../src/events/index.ts';
import { condensation } from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { condensableView } from '../../src/engine/view/view-cuts.ts';
import { modelEvents, ViewFold, type View } from '../../src/engine/view/view.ts';
import type { Journal } from '../../src/store/index.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { RandomHistory, steps } from './random-history.ts';

/** A fold of the branch from its root, which no checkpoint had a part in. */
async function fromRoot({ state }: RandomHistory): Promise<View> {
  const fold = new ViewFold();
  for (const event of await state.events.branch()) fold.apply(event);
  return fold.view;
}

test(
  'P5: a view that continues from a checkpoint is the view from the root, whatever happened',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, steps, async (before, between, after) => {
        const random = await RandomHistory.begin();
        for (const step of before) await random.take(step);
        // a view that was looked at is kept when the conversation is closed
        await random.state.modelView();
        await random.take({ do: 'reopen' });
        for (const step of between) await random.take(step);
        const view = await random.state.condensableView();
        const expected = await fromRoot(random);
        expect(view.events).toEqual(modelEvents(expected));
        expect(view.requested).toBe(expected.condensationRequested);
        expect(view.cuts).toEqual(condensableView(expected, modelEvents(expected)).cuts);
        for (const step of after) await random.take(step);
        expect(await random.state.modelView()).toEqual(modelEvents(await fromRoot(random)));
      }),
      { numRuns: 150 },
    );
  },
);

test('P5: a run of reasoning that continues after a checkpoint stays one, and a new one is another', async () => {
  const random = await RandomHistory.begin();
  await random.take({ do: 'say' });
  for (const thinking of [true, false, false, true, false]) {
    await random.take({ do: 'act', calls: [true], thinking });
    await random.take({ do: 'result', which: 0, how: 'observation' });
    await random.state.modelView();
    await random.take({ do: 'reopen' });
  }
  expect((await random.state.condensableView()).cuts).toEqual([0, 1, 7, 11]);
});

interface Counted {
  readonly state: ConversationState;
  /** Events that were read from the journal. */
  readonly read: () => number;
}

async function open(store: MemoryStore, id: string): Promise<Counted> {
  const journal = await store.open(id, { owner: 'test' });
  let read = 0;
  const commits: Journal['commits'] = async function* (range) {
    for await (const commit of journal.commits(range)) {
      read += commit.events.length;
      yield commit;
    }
  };
  const counting = new Proxy(journal, {
    get(target, name) {
      if (name === 'commits') return commits;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { state: await ConversationState.open(counting, { id }), read: () => read };
}

/** Says `count` things and condenses them to two. */
async function talk(state: ConversationState, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await state.append([userMessage(`${at}`)]);
  const { events, offsets } = await state.condensableView();
  const forgotten_event_ids = events.slice(1, -1).map(({ id }) => id);
  const summary = { summary: 'so far', summary_offset: offsets[1] ?? 0 };
  await state.append([condensation({ forgotten_event_ids, ...summary, llm_response_id: randomUUID() })]);
}

test('P12: the first view after a restart reads its own events and newer ones, not the whole log', async () => {
  const store = new MemoryStore();
  const id = randomUUID();
  const first = await open(store, id);
  for (let round = 0; round < 20; round++) await talk(first.state, 100);
  const view: readonly Event[] = await first.state.modelView();
  await first.state.close();

  const second = await open(store, id);
  await second.state.append([userMessage('since')]);
  const before = second.read();
  expect((await second.state.modelView()).slice(0, -1)).toEqual(view);
  expect(second.read() - before).toBeLessThan(20);
  // a session that never reads the view keeps the stored checkpoint
  await second.state.close();
  const third = await open(store, id);
  await third.state.append([userMessage('and since')]);
  await third.state.close();

  const fourth = await open(store, id);
  const opened = fourth.read();
  expect((await fourth.state.modelView()).slice(0, -2)).toEqual(view);
  expect(fourth.read() - opened).toBeLessThan(20);
  await fourth.state.close();
});

test('P12: a view of many events is not kept in the snapshot', async () => {
  const store = new MemoryStore();
  const id = randomUUID();
  const { state } = await open(store, id);
  for (let at = 0; at < 300; at++) await state.append([userMessage(`${at}`)]);
  await state.modelView();
  await state.close();
  const reader = await store.read(id);
  expect((await reader?.snapshot())?.data['view']).toBeUndefined();
  const again = await open(store, id);
  expect(await again.state.modelView()).toHaveLength(300);
});
