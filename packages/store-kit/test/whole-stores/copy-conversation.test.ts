import fc from 'fast-check';
import { expect, test } from 'vitest';

import { projections, ConversationState, foldJournal } from '@conv/core';
import { userMessage } from '@conv/core/events';
import {
  MemoryStore,
  StoreError,
  toCommitSeq,
  type Commit,
  type ConversationStore,
  type Journal,
  type JournalReader,
  type NewCommit,
} from '@conv/core/store';
import { checkByReading, copyConversation, copyStore, isStandIn } from '../../src/index.ts';
import { withLost } from '../support/lost-commits.ts';
import { RandomConversation, steps } from '../support/random-conversation.ts';

const ID = '00000000-0000-4000-8000-000000000001';

/** A store with a conversation of so many messages, which stays open. */
async function spoken(messages: number): Promise<{ store: MemoryStore; state: ConversationState; journal: Journal }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  for (let at = 0; at < messages; at++) await state.append([userMessage(`message ${at}`)]);
  return { store, journal, state };
}

async function commitsOf(store: ConversationStore, id = ID): Promise<readonly Commit[]> {
  const reader = await store.read(id);
  return reader ? Array.fromAsync(reader.commits()) : [];
}

/** Returns a store with changed journals and readers. */
function changed(store: MemoryStore, change: (journal: Journal) => Journal): ConversationStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'open') return async (...open: Parameters<MemoryStore['open']>) => change(await target.open(...open));
      if (key === 'read') return async (id: string) => change((await target.read(id)) as Journal);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/**
 * Returns a change that makes a journal fail at its append of this number and, unless it recovers, at all later
 * appends.
 */
function failingAt(number: number, recovers = false): (journal: Journal) => Journal {
  let appends = 0;
  return (journal) =>
    new Proxy(journal, {
      get: (target, key) => {
        if (key === 'append')
          return (...append: Parameters<Journal['append']>) =>
            appends++ === number || (!recovers && appends > number)
              ? Promise.reject(new StoreError('FULL', 'no space'))
              : target.append(...append);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
}

test(
  'P3, P6: a copy of any history has the same commits and comes to the same state',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const random = await RandomConversation.begin();
        for (const step of history) await random.take(step);
        const { id } = random.state;
        const target = new MemoryStore();
        const { written } = await copyConversation(id, random.store, target);
        const copied = await target.open(id, { owner: 'test' });
        expect(written).toBe(random.journal.end.seq);
        expect(await foldJournal(copied)).toEqual(await foldJournal(random.journal));
      }),
      { numRuns: 40 },
    );
  },
);

test('a second call goes on with a broken-off copy, and only compares a whole copy', async () => {
  const { store } = await spoken(200);
  const target = new MemoryStore();
  await expect(copyConversation(ID, store, changed(target, failingAt(50)))).rejects.toMatchObject({ code: 'FULL' });
  expect(await commitsOf(target)).toHaveLength(50);
  expect(await copyConversation(ID, store, target)).toEqual({ written: 151, found: 50, events: 200 });
  expect(await copyConversation(ID, store, target)).toEqual({ written: 0, found: 201, events: 200 });
});

test('a second call adds the commits that are new in the source', async () => {
  const { store, state } = await spoken(3);
  const target = new MemoryStore();
  await copyConversation(ID, store, target);
  await state.append([userMessage('later')]);
  expect(await copyConversation(ID, store, target)).toMatchObject({ written: 1, found: 4 });
});

test('a copy that its caller stops keeps what it has, and tells how far it is', async () => {
  const { store } = await spoken(20);
  const target = new MemoryStore();
  const caller = new AbortController();
  const progress: number[] = [];
  const stopped = copyConversation(ID, store, target, {
    signal: caller.signal,
    onProgress: (done, of) => {
      progress.push(done);
      expect(of).toBe(21);
      if (done === 7) caller.abort(new Error('enough'));
    },
  });
  await expect(stopped).rejects.toThrow('enough');
  expect(progress).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await commitsOf(target)).toHaveLength(7);
});

test('a target that goes on in another way is not written to', async () => {
  const { store } = await spoken(3);
  const { store: other, journal } = await spoken(5);
  await journal.close();
  const before = await commitsOf(other);
  await expect(copyConversation(ID, store, other)).rejects.toMatchObject({
    code: 'EXISTS',
    message: expect.stringContaining('differently from commit 0 on') as string,
  });
  expect(await commitsOf(other)).toEqual(before);
});

test('a target that is ahead of its source is not a copy of it', async () => {
  const { store, state } = await spoken(1);
  const target = new MemoryStore();
  await copyConversation(ID, store, target);
  const journal = await target.open(ID, { owner: 'test' });
  const ahead = await ConversationState.open(journal, { id: ID });
  await ahead.append([userMessage('only there')]);
  await journal.close();
  await expect(copyConversation(ID, store, target)).rejects.toMatchObject({ code: 'EXISTS' });
  expect(state.id).toBe(ID);
});

test('a source that lost commits is not copied as if it were whole', async () => {
  const { store } = await spoken(9);
  const copyWithout = (...lost: number[]): Promise<unknown> =>
    copyConversation(
      ID,
      changed(store, (journal) => withLost(journal, new Set(lost))),
      new MemoryStore(),
    );
  await expect(copyWithout(4, 5)).rejects.toThrow('[CORRUPT] commits 4 to 5 of the source cannot be read');
  await expect(copyWithout(9)).rejects.toThrow('[CORRUPT] commit 9 of the source cannot be read');
});

/** A store with a conversation that lost these commits, whose log records the loss since it was opened. */
async function withRecordedLoss(...lost: number[]): Promise<{ store: MemoryStore; source: ConversationStore }> {
  const { store, state, journal } = await spoken(9);
  await state.update({ set: { confirmationPolicy: { kind: 'NeverConfirm' }, title: 'told' } });
  const lose = (one: Journal): Journal => withLost(one, new Set(lost));
  const damaged = lose(journal);
  await Array.fromAsync(damaged.commits());
  const opened = await ConversationState.open(damaged, { id: ID });
  await opened.append([userMessage('after the loss')]);
  await opened.close();
  return { store, source: changed(store, lose) };
}

test.each([[[4, 5]], [[0]], [[1]], [[9]], [[2, 6, 7]], [[10]]])(
  'P4: a copy without commits %j, whose loss is on record, names the same spans and is as strict',
  async (lost) => {
    const { source } = await withRecordedLoss(...lost);
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

/** Returns a store that takes commits of so many bytes. */
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

/** A store whose log lost commits of so many events each, and records that. The limit is that of its own commits. */
async function withLargeLoss(events: number, ...lost: number[]): Promise<{ source: ConversationStore; end: number }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  for (let at = 0; at < 3; at++)
    await state.append(Array.from({ length: events }, () => ({ kind: 'PauseEvent', source: 'user' })));
  const lose = (one: Journal): Journal => withLost(one, new Set(lost));
  const damaged = lose(journal);
  await Array.fromAsync(damaged.commits());
  const opened = await ConversationState.open(damaged, { id: ID });
  await opened.append([userMessage('after the loss')]);
  await opened.close();
  return { source: changed(store, lose), end: journal.end.event };
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

test('P4: a copy from before the damage keeps what the source lost, and takes what is new', async () => {
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

test('a target that reads back something else is told of', async () => {
  const { store } = await spoken(2);
  const forgetful = changed(new MemoryStore(), (journal) => withLost(journal, new Set([2])));
  await expect(copyConversation(ID, store, forgetful)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('a conversation that is not there rejects NOT_FOUND and makes none', async () => {
  const target = new MemoryStore();
  await expect(copyConversation(ID, new MemoryStore(), target)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await target.list()).items).toEqual([]);
});

test('the target is given up again, also when the copy fails', async () => {
  const { store } = await spoken(1);
  const target = new MemoryStore();
  await copyConversation(ID, store, target);
  await expect(copyConversation(ID, store, changed(target, failingAt(0)))).resolves.toMatchObject({ written: 0 });
  await (await target.open(ID, { owner: 'next' })).close();
});

test('a store is not copied to itself, and neither is one conversation', async () => {
  const { store, state } = await spoken(1);
  const expected = new TypeError('copyConversation: to: expected another store than from, found the same object');
  await expect(copyConversation(ID, store, store)).rejects.toEqual(expected);
  await expect(copyStore(store, store).next()).rejects.toThrow('copyStore: to: expected another store');
  await state.close();
});

test('P1: a target that refuses one commit and takes the next ones is given none of them, and a second copy goes on', async () => {
  const { store } = await spoken(20);
  const target = new MemoryStore();
  const whole = await commitsOf(store);
  await expect(copyConversation(ID, store, changed(target, failingAt(7, true)))).rejects.toMatchObject({
    code: 'FULL',
  });
  expect((await commitsOf(target)).map(({ id }) => id)).toEqual(whole.slice(0, 7).map(({ id }) => id));
  await copyConversation(ID, store, target);
  expect((await commitsOf(target)).map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
});
