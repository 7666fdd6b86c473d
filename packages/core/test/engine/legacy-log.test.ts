import { expect, test } from 'vitest';

import { readEvent, type Event } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { emptyProjection } from '../../src/engine/fold/projection.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { initialFields } from '../../src/contract/state/fields.ts';
import { MemoryStore, type Journal } from '../../src/store/index.ts';

/** Events as logs from before the tree have them: without parents. */
function legacyEvent(at: number, parent?: string | null): Event {
  const text = [{ type: 'text', text: `message ${at}` }];
  return readEvent({
    id: `event-${at}`,
    timestamp: `2025-01-01T00:00:${String(at).padStart(2, '0')}.000000`,
    source: 'user',
    ...(parent === undefined ? {} : { parent_id: parent }),
    llm_message: { role: 'user', content: text },
    kind: 'MessageEvent',
  });
}

async function opened(events: readonly Event[]): Promise<{ state: ConversationState; journal: Journal }> {
  const journal = await new MemoryStore().open('00000000-0000-4000-8000-000000000001', { owner: 'test' });
  await journal.append({ id: 'c0', events: [], patch: { set: initialFields } }, initialFields);
  for (const event of events) await journal.append({ id: event.id, events: [event] }, initialFields);
  return { state: new ConversationState({}, journal, await foldJournal(journal)), journal };
}

const ids = (events: readonly Event[]): readonly string[] => events.map(({ id }) => id);

test('events without a parent are one line, in the order of the log', async () => {
  const { state } = await opened([0, 1, 2, 3].map((at) => legacyEvent(at)));
  expect(state.leafEventId).toBe('event-3');
  expect(ids(await state.events.branch())).toEqual(['event-0', 'event-1', 'event-2', 'event-3']);
  expect(await state.events.leaves()).toEqual(['event-3']);
});

test('new events follow the last one by name, and the line is one branch', async () => {
  const { state, journal } = await opened([0, 1].map((at) => legacyEvent(at)));
  const [event] = await state.append([{ ...legacyEvent(9), id: 'new', parent_id: undefined } as never]);
  expect(event?.parent_id).toBe('event-1');
  expect(ids(await state.events.branch())).toEqual(['event-0', 'event-1', 'new']);
  expect((await foldJournal(journal)).fields).toEqual(state.fields);
});

test('__root__ starts a new tree, and a first event without a parent is a root', async () => {
  const { state } = await opened([
    legacyEvent(0),
    legacyEvent(1, 'event-0'),
    legacyEvent(2, '__root__'),
    legacyEvent(3, 'event-2'),
  ]);
  expect(ids(await state.events.branch())).toEqual(['event-2', 'event-3']);
  expect(await state.events.leaves()).toEqual(['event-1', 'event-3']);
});

test('a parent that never was is bridged to the event before', async () => {
  const { state } = await opened([
    legacyEvent(0),
    legacyEvent(1, 'event-0'),
    legacyEvent(2, 'nobody'),
    legacyEvent(3, 'event-2'),
  ]);
  expect(ids(await state.events.branch())).toEqual(['event-0', 'event-1', 'event-2', 'event-3']);
  expect(await state.events.leaves()).toEqual(['event-3']);
});

test('a parent that comes later, or is the event itself, is bridged too: no path has a cycle', async () => {
  const { state } = await opened([
    legacyEvent(0),
    legacyEvent(1, 'event-2'),
    legacyEvent(2, 'event-1'),
    legacyEvent(3, 'event-3'),
  ]);
  expect(ids(await state.events.branch())).toEqual(['event-0', 'event-1', 'event-2', 'event-3']);
  expect(ids(await state.events.branch('event-1'))).toEqual(['event-0', 'event-1']);
});

test('the first of several events with the same id is found', async () => {
  const { state } = await opened([legacyEvent(0), legacyEvent(1), { ...legacyEvent(2), id: 'event-0' } as Event]);
  expect(await state.events.indexOf('event-0')).toBe(0);
});

test('reading by position is as of an array', async () => {
  const { state } = await opened([0, 1, 2, 3, 4].map((at) => legacyEvent(at)));
  const all = [0, 1, 2, 3, 4].map((at) => `event-${at}`);
  for (const [start, end] of [[0, 2], [-2], [1, -1], [3, 1], [9], [-9, 2], [2, 99]] as [number, number?][]) {
    expect(ids(await state.events.slice(start, end))).toEqual(all.slice(start, end));
  }
  expect([await state.events.idAt(-1), await state.events.idAt(5), await state.events.idAt(-6)]).toEqual([
    'event-4',
    undefined,
    undefined,
  ]);
  expect(ids(await Array.fromAsync(state.events))).toEqual(all);
  await expect(state.events.branch('nobody')).rejects.toThrow('[UNKNOWN_EVENT]');
  expect(await state.events.branch(null)).toEqual([]);
});

test('a log without any commit is the state before the first', async () => {
  const journal = await new MemoryStore().open('00000000-0000-4000-8000-000000000001', { owner: 'test' });
  expect(await foldJournal(journal)).toEqual(emptyProjection);
});
