import { ConversationState, projections, SECRET_MASK, type Masker } from '@conv/core';
import { agentMessage, userMessage } from '@conv/core/events';
import { MemoryStore, StoreError, toCommitSeq, type JournalReader } from '@conv/core/store';
import { RandomLog } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { PastStates } from '../../src/past/past-states.ts';
import { readOnlyJournal } from '../../src/past/read-only-journal.ts';
import { acts } from './acts.ts';
import { without } from './without.ts';

const ID = '00000000-0000-4000-8000-000000000001';

async function withMessages(count: number): Promise<ConversationState> {
  const state = new ConversationState();
  for (let at = 0; at < count; at++) await state.append([userMessage(`${at}`)]);
  return state;
}

test('P6: the state at every commit is the same live, replayed and asked for', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      const log = await RandomLog.begin();
      const seen: { seq: number; fields: unknown; iteration: number; pending: readonly string[] }[] = [];
      for (const act of history) {
        await log.take(act);
        const { fields, iteration, pendingActions, end } = log.state;
        seen.push({ seq: end.seq, fields, iteration, pending: pendingActions.map(({ id }) => id) });
      }
      const past = new PastStates(log.state);
      const replayed = await Array.fromAsync(past.replay());
      for (const { seq, fields, iteration, pending } of seen) {
        const { state, commit } = await past.at(toCommitSeq(seq));
        expect(commit?.seq).toBe(seq - 1);
        expect(state.fields).toEqual(fields);
        expect([state.iteration, state.pendingActions.map(({ id }) => id)]).toEqual([iteration, pending]);
        expect(replayed[seq - 1]?.state.fields).toEqual(fields);
      }
    }),
    { numRuns: 60 },
  );
});

test('the state behind the end is the one at the end, with its commit', async () => {
  const state = await withMessages(5);
  const past = new PastStates(state);
  for (const seq of [state.end.seq, state.end.seq + 1, Number.MAX_SAFE_INTEGER]) {
    const { commit, state: last } = await past.at(toCommitSeq(seq));
    expect([commit?.seq, last.leafEventId]).toEqual([state.end.seq - 1, state.leafEventId]);
  }
});

test.each([-1, 1.5, Number.NaN, 'x' as never])('P13: %s is no number of a commit', async (wrong) => {
  const past = new PastStates(await withMessages(1));
  const seq = toCommitSeq(wrong);
  const refused = expect.objectContaining({ code: 'INVALID_INPUT' }) as unknown;
  await expect(past.at(seq)).rejects.toEqual(refused);
  for (const span of [{ from: seq }, { to: seq }]) {
    await expect(past.replay(span).next()).rejects.toEqual(refused);
    await expect(past.commits(span).next()).rejects.toEqual(refused);
  }
});

test('P4: settings ask at lost commits and behind them, and a lost commit is not there', async () => {
  const store = new MemoryStore();
  const state = await ConversationState.open(await store.open(ID, { owner: 'test' }), { id: ID });
  for (const text of ['one', 'two', 'three']) await state.append([userMessage(text)]);
  await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' }, title: 'kept' } });
  await state.close();
  const later = await ConversationState.open(await store.open(ID, { owner: 'test' }));
  await later.append([userMessage('behind the snapshot')]);
  const whole = await projections.readState((await store.read(ID)) as JournalReader);
  const asks = { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' }, title: 'kept' };
  const damaged = async (): Promise<PastStates> => {
    const journal = without(2, readOnlyJournal((await store.read(ID)) as JournalReader));
    return new PastStates(new ConversationState({}, journal, whole));
  };
  expect((await (await damaged()).at(whole.end.seq)).state.fields).toMatchObject(asks);
  const [replayed] = await Array.fromAsync((await damaged()).replay({ from: toCommitSeq(whole.end.seq - 1) }));
  expect(replayed?.state.fields).toMatchObject(asks);
  const { commit, state: then } = await (await damaged()).at(toCommitSeq(3));
  expect([commit, then.damaged]).toEqual([undefined, true]);
});

test('a store that cannot be read is STORE_FAILED at any point of the past', async () => {
  let failing = false;
  const journal = await new MemoryStore().open(ID, { owner: 'test' });
  const breaking = new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'commits' && failing) throw new StoreError('UNAVAILABLE', 'told to fail');
      return value.bind(target) as unknown;
    },
  });
  const state = await ConversationState.open(breaking, { id: ID });
  for (let number = 0; number < 300; number++) await state.append([userMessage('x')]);
  const past = new PastStates(state);
  failing = true;
  const failed = expect.objectContaining({ code: 'STORE_FAILED', conversationId: ID }) as unknown;
  const reads = [() => past.at(toCommitSeq(5)), () => past.view(toCommitSeq(5)), () => past.outline()];
  const walks = [() => past.replay(), () => past.commits()];
  for (const read of reads) await expect(read()).rejects.toEqual(failed);
  for (const walk of walks) await expect(walk().next()).rejects.toEqual(failed);
});

test('P9: a value that became known after it was stored is masked in every look at the past', async () => {
  const secrets: string[] = [];
  const mask = (text: string): string => secrets.reduce((rest, value) => rest.replaceAll(value, SECRET_MASK), text);
  const masker: Masker = {
    get version() {
      return secrets.length;
    },
    mask,
    stream: () => ({ write: mask, end: () => '' }),
  };
  const state = new ConversationState({ masker });
  const value = 'sk-known-later';
  await state.append([userMessage(`my key is ${value}`), agentMessage({ content: value, llm_response_id: 'r' })]);
  await state.update({ set: { title: `about ${value}` } });
  secrets.push(value);
  const past = new PastStates(state);
  const found = await past.at(state.end.seq);
  const looks = [
    found.commit,
    found.state.fields,
    await Array.fromAsync(past.replay(), ({ commit, state: { fields } }) => [commit, fields]),
    await Array.fromAsync(past.commits()),
    await past.view(state.end.seq),
    await past.outline(),
  ];
  for (const look of looks) {
    expect(JSON.stringify(look)).toContain(SECRET_MASK);
    expect(JSON.stringify(look)).not.toContain(value);
  }
});
