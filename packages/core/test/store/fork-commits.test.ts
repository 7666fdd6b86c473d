import { expect, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { pause } from '../../src/events/conversation-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { forkCommits, isStoreError, MemoryStore, type Journal } from '../../src/store/index.ts';
import { call, callRecord } from '../engine/random-history.ts';

const ID = '00000000-0000-4000-8000-000000000001';

async function source(): Promise<{ store: MemoryStore; journal: Journal; state: ConversationState }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  return { store, journal, state };
}

test('a path longer than one commit is split, and numbered from 0', async () => {
  const { journal, state } = await source();
  for (let at = 0; at < 20; at++) await state.append(Array.from({ length: 50 }, () => userMessage('x')));
  const from = (await state.events.at(799))?.id ?? '';
  const commits = await forkCommits(journal, { from, patch: { set: { title: 'fork' } } });
  expect(commits.flatMap(({ events }) => events)).toEqual(await state.events.slice(0, 800));
  expect(commits.map(({ seq }) => seq)).toEqual(commits.map((_, at) => at));
  expect(commits.every(({ events }) => events.length <= 256)).toBe(true);
  let next = 0;
  for (const { firstEvent, events } of commits) {
    expect(firstEvent).toBe(next);
    next += events.length;
  }
});

test('the status of a path follows from its events, not from the current state of the source', async () => {
  const { store, state } = await source();
  const [message] = await state.append([userMessage('go')]);
  const [pending] = await state.append([call('1', 'response-1')], { records: [callRecord(3)] });
  await state.append([pause()]);
  const forked = async (from: string, id: string): ReturnType<typeof foldJournal> => {
    await store.fork(ID, id, { from, patch: { set: { id } } });
    const reader = await store.read(id);
    return foldJournal(reader as NonNullable<typeof reader>);
  };
  const early = await forked(message?.id ?? '', '00000000-0000-4000-8000-000000000002');
  expect([early.fields.executionStatus, early.fields.stats['agent']?.calls]).toEqual(['idle', 1]);
  const late = await forked(pending?.id ?? '', '00000000-0000-4000-8000-000000000003');
  expect([late.fields.executionStatus, [...late.branch.open.keys()]]).toEqual([
    'waiting_for_confirmation',
    [pending?.id],
  ]);
});

test('an event that is not there rejects NOT_FOUND', async () => {
  const { journal } = await source();
  const error = await forkCommits(journal, { from: 'nobody', patch: {} }).catch((thrown: unknown) => thrown);
  expect(isStoreError(error, 'NOT_FOUND')).toBe(true);
});
