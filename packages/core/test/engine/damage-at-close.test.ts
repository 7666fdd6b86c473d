import { expect, onTestFinished, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { MemoryStore, type Snapshot } from '../../src/store/index.ts';
import { withLost } from './damaged-reader.ts';

const ID = '00000000-0000-4000-8000-00000000000c';

/** A store with a conversation of 300 messages and a snapshot at its end. */
async function written(): Promise<MemoryStore> {
  const store = new MemoryStore();
  const state = await ConversationState.open(await store.open(ID, { owner: 'test' }));
  for (let at = 0; at < 300; at++) await state.append([userMessage(`message ${at}`)]);
  await state.close();
  return store;
}

/** Collects the warnings of this process while a test runs. */
function warnings(): readonly Error[] {
  const told: Error[] = [];
  const listen = (warning: Error): void => void told.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  return told;
}

test('P4: damage that is found while a conversation is closed is put on record before its log is closed', async () => {
  const told = warnings();
  const store = await written();
  const journal = withLost(await store.open(ID, { owner: 'next' }), new Set([2]));
  let isClosing = false;
  // the last read of a state that is closed is that of its snapshot
  const thorough = new Proxy(journal, {
    get: (target, key) => {
      if (key === 'snapshot' && isClosing) return thoroughly;
      return Reflect.get(target, key) as unknown;
    },
  });
  async function thoroughly(): Promise<Snapshot | undefined> {
    await Array.fromAsync(journal.commits());
    return journal.snapshot();
  }
  const state = await ConversationState.open(thorough);
  expect(state.damaged).toBe(false);
  isClosing = true;
  await state.close();
  const reader = await store.read(ID);
  expect(reader && (await foldJournal(reader)).fields).toMatchObject({
    damaged: true,
    damage: [{ from: 2, to: 2 }],
    confirmationPolicy: { kind: 'AlwaysConfirm' },
  });
  expect(told).toEqual([]);
});

test('P4: damage that is found after a conversation was closed is not a failure of its record', async () => {
  const told = warnings();
  const store = await written();
  const state = await ConversationState.open(withLost(await store.open(ID, { owner: 'next' }), new Set([2])));
  await state.close();
  await state.events.slice().catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(told).toEqual([]);
});
