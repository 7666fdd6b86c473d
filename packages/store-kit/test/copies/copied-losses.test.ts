import { expect, test } from 'vitest';

import { projections, ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import {
  MemoryStore,
  StoreError,
  toCommitSeq,
  type ConversationStore,
  type Journal,
  type JournalReader,
  type NewCommit,
} from '@conv/core/store';
import { checkByReading, copyConversation, isStandIn } from '../../src/index.ts';
import { changed, commitsOf, ID, spoken } from '../support/copied-stores.ts';
import { withLost } from '../support/lost-commits.ts';

/** Resolves with the store without these commits of its conversation. The log records the loss, because it was opened since. */
async function withRecordedLoss(store: MemoryStore, journal: Journal, ...lost: number[]): Promise<ConversationStore> {
  const lose = (one: Journal): Journal => withLost(one, new Set(lost));
  const damaged = lose(journal);
  await Array.fromAsync(damaged.commits());
  const opened = await ConversationState.open(damaged, { id: ID });
  await opened.append([userMessage('after the loss')]);
  await opened.close();
  return changed(store, lose);
}

test.each([[[4, 5]], [[0]], [[1]], [[9]], [[2, 6, 7]], [[10]]])(
  'P4: a copy without commits %j, whose loss is on record, names the same spans and is as strict',
  async (lost) => {
    const { store, state, journal } = await spoken(9);
    await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' }, title: 'told' } });
    const source = await withRecordedLoss(store, journal, ...lost);
    const target = new MemoryStore();
    const { written, events } = await copyConversation(ID, source, target);
    const [one, copy] = await Promise.all([source.read(ID), target.read(ID)]);
    await Array.fromAsync(one?.commits() ?? []);
    const [before, after] = await Promise.all(
      [one, copy].map((reader) => projections.readState(reader as JournalReader)),
    );
    expect(after?.fields).toEqual(before?.fields);
    expect(after?.fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    expect(after?.fields.damage.flatMap(({ from, to }) => [from, to])).toEqual(
      one?.damage.flatMap(({ from, to }) => [from, to]),
    );
    expect({ seq: written, event: events }).toEqual(one?.end);
    for await (const commit of one?.commits() ?? [])
      expect(
        (await Array.fromAsync(copy?.commits({ from: commit.seq, to: toCommitSeq(commit.seq + 1) }) ?? []))[0],
      ).toMatchObject({
        seq: commit.seq,
        id: commit.id,
        firstEvent: commit.firstEvent,
        events: commit.events,
      });
    expect(await copyConversation(ID, source, target)).toMatchObject({ written: 0 });
    const { findings } = await checkByReading(target, ID);
    expect(findings.map(({ severity }) => severity)).toEqual(one?.damage.map(() => 'known'));
    expect(await copyConversation(ID, target, new MemoryStore())).toMatchObject({ written });
  },
);

/** Returns a store that takes commits of at most this number of bytes. */
function limited(store: MemoryStore, maxCommitBytes: number): ConversationStore {
  const sized = changed(store, (journal) =>
    alterAppend(journal, (commit) => {
      const bytes = Buffer.byteLength(JSON.stringify(commit));
      if (bytes > maxCommitBytes) throw new StoreError('TOO_LARGE', `${bytes} bytes`);
    }),
  );
  return Object.defineProperty(sized, 'features', { value: { ...store.features, maxCommitBytes } });
}

function alterAppend(journal: Journal, look: (commit: NewCommit) => void): Journal {
  return new Proxy(journal, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'append') return value.bind(target) as unknown;
      return async (...[commit, after]: Parameters<Journal['append']>) => {
        look(commit);
        return target.append(commit, after);
      };
    },
  });
}

/** A store whose log lost commits with this number of events each, and records the loss. The limit is that of its own commits. */
async function withLargeLoss(events: number, ...lost: number[]): Promise<{ source: ConversationStore; end: number }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  for (let at = 0; at < 3; at++)
    await state.append(Array.from({ length: events }, () => ({ kind: 'PauseEvent', source: 'user' })));
  const source = await withRecordedLoss(store, journal, ...lost);
  return { source, end: journal.end.event };
}

/** Resolves with the stand-ins in each commit of a copy: their number, and the length of their texts. */
async function standInsOf(
  target: MemoryStore,
  seqs: readonly number[],
): Promise<readonly (readonly [number, boolean])[]> {
  const commits = (await commitsOf(target)).filter(({ seq }) => seqs.includes(seq));
  return commits.map(({ events }) => [
    events.filter(isStandIn).length,
    events.some((event) => 'detail' in event && event.detail !== ''),
  ]);
}

test('P4: stand-ins for the events of a lost commit are shortened where its limit asks for that', async () => {
  const { source, end } = await withLargeLoss(1000, 2);
  const [wide, narrow] = [new MemoryStore(), new MemoryStore()];
  await copyConversation(ID, source, limited(wide, 2 ** 20));
  expect(await standInsOf(wide, [2])).toEqual([[1000, true]]);
  expect(await copyConversation(ID, source, limited(narrow, 250_000))).toMatchObject({ events: end });
  expect(await standInsOf(narrow, [2])).toEqual([[1000, false]]);
  expect(await copyConversation(ID, source, limited(narrow, 250_000))).toMatchObject({ written: 0 });
  const { findings } = await checkByReading(narrow, ID);
  expect(findings).toMatchObject([{ severity: 'known' }]);
});

test('P4: stand-ins for the events of neighbouring lost commits are split between these', async () => {
  const { source, end } = await withLargeLoss(600, 2, 3);
  const [wide, narrow] = [new MemoryStore(), new MemoryStore()];
  await copyConversation(ID, source, limited(wide, 2 ** 20));
  expect(await standInsOf(wide, [2, 3])).toEqual([
    [0, false],
    [1200, true],
  ]);
  expect(await copyConversation(ID, source, limited(narrow, 320_000))).toMatchObject({ events: end });
  const [first, second] = await standInsOf(narrow, [2, 3]);
  expect([first?.[0] ?? 0, (first?.[0] ?? 0) + (second?.[0] ?? 0)]).toEqual([expect.any(Number), 1200]);
  expect(first?.[0]).toBeGreaterThan(0);
  expect([first?.[1], second?.[1]]).toEqual([true, true]);
});

test('P4: stand-ins that fit in no way reject TOO_LARGE before anything is made', async () => {
  const { source } = await withLargeLoss(1000, 1);
  const target = new MemoryStore();
  await expect(copyConversation(ID, source, limited(target, 100_000))).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringMatching(/1000 events in the place of those of commit 1.*higher limit/) as string,
  });
});

test('P4: a copy from before the damage keeps the commits that the source lost, and gets the new ones', async () => {
  const { store, state } = await spoken(9);
  const target = new MemoryStore();
  await copyConversation(ID, store, target);
  const whole = await commitsOf(target);
  await state.close();
  const lose = (journal: Journal): Journal => withLost(journal, new Set([3, 4]));
  const damaged = lose(await store.open(ID, { owner: 'next' }));
  await Array.fromAsync(damaged.commits());
  await (await ConversationState.open(damaged, { id: ID })).close();
  await copyConversation(ID, changed(store, lose), target);
  expect((await commitsOf(target)).slice(0, whole.length)).toEqual(whole);
  const reader = await target.read(ID);
  expect((await projections.readState(reader as JournalReader)).fields).toMatchObject({ damaged: true });
});
