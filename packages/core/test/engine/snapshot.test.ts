import fc from 'fast-check';
import { expect, test } from 'vitest';

import { agentMessage, userMessage } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { fromSnapshot, toSnapshot } from '../../src/engine/fold/snapshot.ts';
import type { Snapshot } from '../../src/store/index.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { call, callRecord, RandomHistory, steps } from './random-history.ts';

const stored = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot;

test('P6: a snapshot of any point, kept as JSON, gives the state of a full fold', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const random = await RandomHistory.begin();
      for (const step of history) {
        await random.take(step);
        const full = await foldJournal(random.journal);
        const restored = await fromSnapshot(random.journal, stored(toSnapshot(full)));
        expect(restored).toEqual(full);
      }
    }),
    { numRuns: 60 },
  );
});

test('P6: the commits behind a snapshot fold on from it to the same state', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      const random = await RandomHistory.begin();
      for (const step of before) await random.take(step);
      const snapshot = stored(toSnapshot(await foldJournal(random.journal)));
      for (const step of after) await random.take(step);
      const from = await fromSnapshot(random.journal, snapshot);
      expect(from).toBeDefined();
      expect(await foldJournal(random.journal, from ? { from } : {})).toEqual(await foldJournal(random.journal));
    }),
    { numRuns: 40 },
  );
});

test('a snapshot that was kept before there was a field gives it its first value', async () => {
  const random = await RandomHistory.begin();
  const full = await foldJournal(random.journal);
  const snapshot = stored(toSnapshot(full));
  const { goal: _, ...older } = snapshot.data['fields'] as Record<string, never>;
  const restored = await fromSnapshot(random.journal, { ...snapshot, data: { ...snapshot.data, fields: older } });
  expect(restored).toEqual(full);
  expect(restored?.fields.goal).toBe(null);
});

test('a snapshot of another version, or of events that are not there, is not a snapshot', async () => {
  const random = await RandomHistory.begin();
  await random.state.append([userMessage('a'), call('1', 'response-1')]);
  const snapshot = stored(toSnapshot(await foldJournal(random.journal)));
  expect(await fromSnapshot(random.journal, undefined)).toBeUndefined();
  expect(await fromSnapshot(random.journal, { ...snapshot, version: snapshot.version + 1 })).toBeUndefined();
  expect(await fromSnapshot(random.journal, { ...snapshot, data: { ...snapshot.data, open: [0] } })).toBeUndefined();
});

test(
  'P12: a snapshot after 5,000 model calls is below 16 KB, and opening folds no more than a few commits',
  { timeout: 60_000 },
  async () => {
    const store = new MemoryStore();
    const id = '00000000-0000-4000-8000-000000000001';
    const state = await ConversationState.open(await store.open(id, { owner: 'test' }), { id });
    for (let at = 0; at < 5_000; at++) {
      const said = agentMessage({ content: `answer ${at}`, llm_response_id: `response-${at}` });
      await state.append([said], { records: [callRecord(at)], patch: { set: { executionStatus: 'running' } } });
    }
    const journal = await store.open(id, { owner: 'test' }).catch(() => undefined);
    expect(journal).toBeUndefined();
    const reader = await store.read(id);
    const kept = await reader?.snapshot();
    expect(state.end.seq - (kept?.seq ?? 0)).toBeLessThan(300);
    await state.close();
    const last = await (await store.read(id))?.snapshot();
    expect(last?.seq).toBe(state.end.seq);
    expect(Buffer.byteLength(JSON.stringify(last))).toBeLessThan(16 * 1024);
  },
);
