import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isEvent, userMessage, type ActionEvent } from '../../src/events/index.ts';
import { observation } from '../../src/events/tool-call-drafts.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { initialFields } from '../../src/contract/state/fields.ts';
import { keptJson } from '../../src/platform/json.ts';
import { foldJournal } from '../../src/engine/fold/fold-journal.ts';
import { readState } from '../../src/engine/fold/read-state.ts';
import { needsConfirmation, readPolicy } from '../../src/contract/safeguards/confirmation-policy.ts';
import { MemoryStore, toCommitSeq, type Journal, type JournalReader } from '../../src/store/index.ts';
import { withLost } from './damaged-reader.ts';
import { call, RandomHistory, steps } from './random-history.ts';

const ID = '00000000-0000-4000-8000-000000000001';

/** Opens the journal of the next owner, after an owner that kept no snapshot. */
async function crashed(store: MemoryStore): Promise<Journal> {
  const log = await store.read(ID);
  const copy = new MemoryStore();
  const journal = await copy.open(ID, { owner: 'next' });
  for await (const { id, events, patch } of log?.commits() ?? [])
    await journal.append({ id, events, ...(patch && { patch }) }, initialFields);
  return journal;
}

async function written(count: number): Promise<{ store: MemoryStore; journal: Journal; state: ConversationState }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal);
  for (let at = 0; at < count; at++) await state.append([userMessage(`message ${at}`)]);
  return { store, journal, state };
}

test('P4: the policy is AlwaysConfirm after lost commits until it is set, and the damage stays on record', async () => {
  const { store, journal } = await written(5);
  await journal.close();
  const damaged = withLost(await store.open(ID, { owner: 'test' }), new Set([3]));
  const state = await ConversationState.open(damaged);
  expect([state.damaged, state.confirmationPolicy]).toEqual([true, { kind: 'AlwaysConfirm' }]);
  expect(needsConfirmation(readPolicy(state.confirmationPolicy), [{ tool_name: 'terminal' } as never])).toBe(true);
  await state.append([userMessage('more')]);
  expect(state.damaged).toBe(true);
  await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' } } });
  expect([state.damaged, state.confirmationPolicy]).toEqual([true, { kind: 'NeverConfirm' }]);
  const again = await foldJournal(damaged);
  expect([again.fields.damaged, again.fields.confirmationPolicy]).toEqual([true, { kind: 'NeverConfirm' }]);
  expect(again.fields.damage).toMatchObject([{ from: 3, to: 3 }]);
  await state.update({ set: { damaged: false } });
  expect((await readState(damaged)).fields).toMatchObject({ damaged: false, damage: [{ from: 3 }] });
});

test('P4: a conversation keeps its id when the commit that states it is lost', async () => {
  const SOURCE = '00000000-0000-4000-8000-000000000002';
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  // as a fork begins, with the commits of its source
  const state = await ConversationState.open(journal, { id: SOURCE });
  await state.update({ set: { id: ID } });
  await state.append([userMessage('mine')]);
  const damaged = withLost(await crashed(store), new Set([1]));
  const opened = await ConversationState.open(damaged, { id: ID });
  expect([opened.accepted.id, opened.damaged]).toEqual([ID, true]);
  expect((await foldJournal(damaged)).fields.id).toBe(ID);
});

test('P6: the state at the end equals the state after opening, even when the last commit is lost', async () => {
  const { store, journal } = await written(5);
  await journal.close();
  const damaged = withLost(await store.open(ID, { owner: 'test' }), new Set([5]));
  const state = await ConversationState.open(damaged);
  const { fields } = await readState(state.reader, { to: toCommitSeq(state.end.seq - 1) });
  expect([fields.damaged, fields.confirmationPolicy]).toEqual([true, { kind: 'AlwaysConfirm' }]);
  expect((await readState(state.reader)).fields).toEqual(state.fields);
});

test('P4: commits lost at the end, at the start and of everything make the policy AlwaysConfirm too', async () => {
  const { journal, state } = await written(4);
  for (const lost of [[4], [3, 4], [0], [0, 1, 2, 3, 4]]) {
    const { fields, end } = await foldJournal(withLost(journal, new Set(lost)));
    expect([fields.damaged, fields.confirmationPolicy, end]).toEqual([true, { kind: 'AlwaysConfirm' }, state.end]);
  }
  const { fields, end } = await foldJournal(withLost(journal, new Set([2])), { to: toCommitSeq(3) });
  expect([fields.damaged, end.seq]).toEqual([true, 3]);
  const before = await foldJournal(withLost(journal, new Set([2])), { to: toCommitSeq(2) });
  expect([before.fields.damaged, before.end.seq]).toEqual([false, 2]);
});

test('P4: a conversation whose tail is lost continues after the remaining commits, with new numbers', async () => {
  const { store, journal } = await written(4);
  await journal.close();
  const damaged = withLost(await store.open(ID, { owner: 'test' }), new Set([4]));
  const state = await ConversationState.open(damaged);
  const survivor = await state.events.at(2);
  expect(state.leafEventId).toBe(survivor?.id);
  const [event] = await state.append([userMessage('goes on')]);
  expect(event?.parent_id).toBe(survivor?.id);
  // the settings were stated again after what is lost
  expect(state.end).toEqual({ seq: 7, event: 5 });
  expect(await state.events.indexOf(event?.id ?? '')).toBe(4);
  expect((await state.events.branch()).map(({ id }) => id)).toEqual(
    [...(await state.events.slice(0, 3)), event].map((one) => one?.id),
  );
});

test('P4: damage in front of a snapshot is put on record when it is opened; settings stay, the policy asks', async () => {
  const { store, state } = await written(3);
  await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' }, title: 'kept', maxBudget: 2 } });
  await state.close();
  const once = await ConversationState.open(await store.open(ID, { owner: 'test' }));
  await once.append([userMessage('behind the snapshot')]);
  const reading = async (lost: readonly number[]): Promise<Journal> =>
    withLost((await store.read(ID)) as JournalReader as Journal, new Set(lost));
  const asks = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' }, title: 'kept', maxBudget: 2 };
  expect((await readState(await reading([2]))).fields).toMatchObject(asks);
  const whole = await readState(await reading([]));
  expect(whole.fields).toMatchObject({ damaged: false, confirmationPolicy: { kind: 'NeverConfirm' } });
  for (const seq of [toCommitSeq(whole.end.seq - 1), whole.end.seq])
    expect((await readState(await reading([2]), { to: seq })).fields).toMatchObject(asks);
  await once.close();
  const again = await ConversationState.open(withLost(await store.open(ID, { owner: 'test' }), new Set([2])));
  expect(again.fields).toMatchObject({ ...asks, damage: [{ from: 2, to: 2 }] });
});

test('P4: damage before a snapshot is recorded when it is read, settings stay, and the policy asks', async () => {
  const { store, state } = await written(300);
  await state.update({
    set: { confirmationPolicy: keptJson<'policy'>({ kind: 'ConfirmRisky' }), title: 'kept', maxBudget: 2 },
  });
  await state.close();
  const damaged = withLost(await store.open(ID, { owner: 'test' }), new Set([2]));
  const again = await ConversationState.open(damaged);
  expect([again.damaged, again.title]).toEqual([false, 'kept']);
  expect(await again.events.slice()).toHaveLength(299);
  await again.modelView();
  const expected = { damaged: true, damage: [{ from: 2, to: 2 }], title: 'kept', maxBudget: 2 };
  expect(again.fields).toMatchObject({ ...expected, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  expect((await foldJournal(damaged)).fields).toEqual(again.fields);
  const { seq } = again.end;
  await again.events.slice();
  await again.modelView();
  expect(again.end.seq, 'once on record is enough').toBe(seq);
});

test('P4: a copy of the state that shows lost commits gives their settings back, limits and hooks included', async () => {
  const { store, state } = await written(1);
  const strict = {
    maxIterations: 10,
    maxBudget: 2,
    hookConfig: { stop: [] },
    securityAnalyzer: keptJson<'analyzer'>({ kind: 'Ours' }),
  };
  await state.update({ set: { ...strict, confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  const { fields, end } = state;
  await state.append([userMessage('behind it')]);
  await state.update({ set: { toolTimeout: 5 } });
  await state.transaction(() => {});
  const journal = await crashed(store);
  const damaged = withLost(journal, new Set([2]), [{ seq: end.seq, fields }]);
  expect((await readState(damaged)).fields).toMatchObject({ ...strict, toolTimeout: 5, damaged: true });
  const again = await ConversationState.open(damaged);
  expect(again.fields).toMatchObject({ ...strict, toolTimeout: 5, damaged: true, damage: [{ from: 2 }] });
  await again.update({ set: { maxIterations: 500 } });
  expect((await readState(withLost(journal, new Set([2])))).fields).toEqual(again.fields);
});

test('P4: a copy that ends before the lost commit cannot make settings weaker than the log', async () => {
  const { store, state } = await written(1);
  await state.update({ set: { maxIterations: 10 } });
  await state.append([userMessage('lost')]);
  const damaged = withLost(await crashed(store), new Set([3]), [{ seq: 2, fields: { maxIterations: 500 } }]);
  expect((await ConversationState.open(damaged)).maxIterations).toBe(10);
});

test('P5: a call with a lost result gets a result that says so, right after it, and never runs again', async () => {
  const { store, state } = await written(1);
  const [action] = await state.append([call('call-1', 'response-1')]);
  await state.append([
    observation(
      action as ActionEvent,
      { kind: 'TerminalObservation', content: [], is_error: false, command: 'ls' } as never,
    ),
  ]);
  await state.append([userMessage('behind it')]);
  await state.close();
  const damaged = withLost(await store.open(ID, { owner: 'test' }), new Set([3]));
  const again = await ConversationState.open(damaged);
  const kinds = (await again.modelView()).map(({ kind }) => kind);
  expect(kinds).toEqual(['MessageEvent', 'ActionEvent', 'AgentErrorEvent', 'MessageEvent']);
  const result = (await again.events.slice()).find((event) => isEvent(event, 'AgentErrorEvent'));
  expect(result).toMatchObject({ error: expect.stringContaining('outcome is unknown') as string });
  expect([again.pendingActions, again.damaged]).toEqual([[], true]);
  const reopened = await ConversationState.open(damaged);
  expect([reopened.pendingActions, reopened.events.length]).toEqual([[], again.events.length]);
});

test('P10: a call that waited after the damage still waits for a person', async () => {
  const { store, state } = await written(2);
  await state.append([call('call-1', 'response-1')]);
  const damaged = withLost(await crashed(store), new Set([1]));
  const again = await ConversationState.open(damaged);
  expect([again.pendingActions.length, again.damaged]).toEqual([1, true]);
});

test(
  'P4: remaining commits read back equal after any loss, branches reach a root, the state is one fold',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }), async (history, chosen) => {
        const random = await RandomHistory.begin();
        for (const step of history) await random.take(step);
        const before = await Array.fromAsync(random.journal.commits());
        const lost = new Set(chosen.map((at) => at % before.length));
        await random.journal.close();
        const damaged = withLost(await random.store.open(random.id, { owner: 'test' }), lost);
        const left = await Array.fromAsync(damaged.commits());
        expect(left).toEqual(before.filter(({ seq }) => !lost.has(seq)));
        const state = new ConversationState({}, damaged, await foldJournal(damaged));
        const branch = await state.events.branch();
        const surviving = new Set(left.flatMap(({ events }) => events.map(({ id }) => id)));
        expect(branch.every(({ id }) => surviving.has(id))).toBe(true);
        const open = branch.filter((event) => isEvent(event, 'ActionEvent') && event.action).map(({ id }) => id);
        expect(open).toEqual(expect.arrayContaining(state.pendingActions.map(({ id }) => id)));
        await state.append([userMessage('goes on')]);
        expect((await foldJournal(damaged)).fields).toEqual(state.fields);
        expect((await foldJournal(damaged)).branch).toMatchObject({ iteration: state.iteration });
        expect((await state.events.branch()).at(-1)?.id).toBe(state.leafEventId);
      }),
      { numRuns: 100 },
    );
  },
);

test('a parent that was lost is bridged to the nearest older event, wherever HEAD was', async () => {
  const { journal, state } = await written(3);
  const [first, , third] = await state.events.slice();
  await state.transaction((transaction) => transaction.moveHead(first?.id ?? null));
  await state.append([call('lost', 'response-1')]);
  const [last] = await state.append([userMessage('behind it')]);
  const lostSeq = state.end.seq - 2;
  const damaged = withLost(journal, new Set([lostSeq]));
  const { fields, branch, end } = await foldJournal(damaged);
  const again = new ConversationState({}, damaged, { fields, branch, end, lastTimestamp: '' });
  const ids = (await again.events.branch()).map(({ id }) => id);
  expect(ids.at(-1)).toBe(last?.id);
  expect(ids.at(-2)).toBe(third?.id);
  expect(branch.open.size).toBe(0);
  expect(await again.events.leaves()).toEqual([last?.id]);
});
