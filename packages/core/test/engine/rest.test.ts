import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { MemoryStore, type Journal, type Snapshot } from '../../src/store/index.ts';

interface Counted {
  readonly state: ConversationState;
  /** The number of reads of the log so far. */
  readonly reads: () => number;
  /** The number of looks for the index of an event so far. */
  readonly looks: () => number;
  readonly snapshots: readonly Snapshot[];
}

/** A conversation of three messages, on a journal that counts. `saved` is called before a snapshot is saved. */
async function counted(saved: () => Promise<unknown> = async () => {}): Promise<Counted> {
  const id = randomUUID();
  const journal = await new MemoryStore().open(id, { owner: 'test' });
  let reads = 0;
  let looks = 0;
  const snapshots: Snapshot[] = [];
  const own: Partial<Journal> = {
    commits: (range) => {
      reads++;
      return journal.commits(range);
    },
    locate: (event) => {
      looks++;
      return journal.locate(event);
    },
    saveSnapshot: async (snapshot) => {
      snapshots.push(snapshot);
      await saved();
      await journal.saveSnapshot(snapshot);
    },
  };
  const counting = new Proxy(journal, {
    get: (target, name) => {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const state = await ConversationState.open(counting, { id });
  for (const text of ['a', 'b', 'c']) await state.append([userMessage(text)]);
  return { state, reads: () => reads, looks: () => looks, snapshots };
}

test('P12: a conversation at rest reads its events and its view again, and they are the same', async () => {
  const { state, reads, snapshots } = await counted();
  const view = await state.modelView();
  const before = reads();
  const events = await state.events.slice();
  expect(reads()).toBe(before);
  await state.rest();
  expect(snapshots).toHaveLength(1);
  expect(await state.events.slice()).toEqual(events);
  expect(reads()).toBe(before + 1);
  expect(await state.modelView()).toEqual(view);
  await state.append([userMessage('d')]);
  expect(await state.modelView()).toEqual(await state.events.branch());
  await state.close();
});

test('P12: a conversation without a loaded view stores no snapshot to rest', async () => {
  const { state, snapshots } = await counted();
  await state.rest();
  expect(snapshots).toHaveLength(0);
  expect(await state.modelView()).toHaveLength(3);
  await state.close();
});

test('P12: a commit during the rest keeps events and view in memory', async () => {
  const { state, reads } = await counted(() => state.append([userMessage('meanwhile')]));
  await state.modelView();
  await state.rest();
  const before = reads();
  expect(await state.modelView()).toHaveLength(4);
  expect(await state.events.slice()).toHaveLength(4);
  expect(reads()).toBe(before);
  await state.close();
});

test('P12: a view that no snapshot could be stored of stays in memory, until one is', async () => {
  let isRefused = true;
  const refuse = async (): Promise<void> => {
    if (isRefused) throw new Error('the disk is full');
  };
  const { state, reads, looks } = await counted(refuse);
  const view = await state.modelView();
  await state.rest();
  const before = [reads(), looks()];
  expect(await state.modelView()).toEqual(view);
  expect([reads(), looks()]).toEqual(before);
  isRefused = false;
  await state.rest();
  expect(await state.modelView()).toEqual(view);
  expect(reads()).toBeGreaterThan(before[0]!);
  await state.close();
});

test('P12: a view of many neighbours is read again by few calls of the journal', async () => {
  const { state, reads, looks } = await counted();
  await state.append(Array.from({ length: 197 }, (_, at) => userMessage(`${at}`)));
  const view = await state.modelView();
  expect(view).toHaveLength(200);
  await state.rest();
  const before = [reads(), looks()];
  expect(await state.modelView()).toEqual(view);
  expect(looks() - before[1]!).toBeLessThanOrEqual(2);
  expect(reads() - before[0]!).toBeLessThanOrEqual(2);
  await state.close();
});
