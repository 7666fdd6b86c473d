import { expect, test } from 'vitest';

import { userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { initialFields, type RunRecord, type StateFields } from '../../src/contract/state/fields.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { fromSnapshot, toSnapshot } from '../../src/engine/fold/snapshot.ts';
import { MemoryStore, type Journal, type Snapshot } from '../../src/store/index.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const run: RunRecord = { phase: 'working', maxIterations: 500, iterationsBefore: 2, costBefore: 0.1, takeovers: 0 };

async function opened(initial: Partial<StateFields> = {}): Promise<{ state: ConversationState; journal: Journal }> {
  const journal = await new MemoryStore().open(ID, { owner: 'test' });
  return { state: await ConversationState.open(journal, { id: ID, ...initial }), journal };
}

test('P6: the stored run is that of the last patch, and no event changes it', async () => {
  const { state, journal } = await opened();
  expect(state.lastRun).toBeNull();
  await state.update({ set: { executionStatus: 'running', lastRun: run } });
  await state.append([userMessage('a')]);
  await state.update({ set: { lastRun: { ...run, takeovers: 1 } } });
  expect(state.lastRun).toEqual({ ...run, takeovers: 1 });
  expect((await foldJournal(journal)).fields).toEqual(state.fields);
  await state.update({ unset: ['lastRun'] });
  expect(state.lastRun).toBeNull();
  expect((await foldJournal(journal)).fields).toEqual(state.fields);
});

test('a log and a snapshot of before there was one have none', async () => {
  const { lastRun: _, ...older } = initialFields;
  const journal = await new MemoryStore().open(ID, { owner: 'test' });
  await journal.append(
    { id: 'c0', events: [], patch: { set: { ...older, executionStatus: 'running' } } },
    initialFields,
  );
  const folded = await foldJournal(journal);
  expect([folded.fields.executionStatus, folded.fields.lastRun]).toEqual(['running', null]);
  const snapshot = JSON.parse(JSON.stringify(toSnapshot(folded))) as Snapshot;
  const { lastRun: _gone, ...fields } = snapshot.data['fields'] as Record<string, never>;
  const restored = await fromSnapshot(journal, { ...snapshot, data: { ...snapshot.data, fields } });
  expect(restored).toEqual(folded);
});
