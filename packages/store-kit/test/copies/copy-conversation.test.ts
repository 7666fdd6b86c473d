import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConversationState, foldJournal } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, StoreError, type ConversationStore, type Journal } from '@conv/core/store';
import { copyConversation, copyStore } from '../../src/index.ts';
import { changed, commitsOf, ID, spoken } from '../support/copied-stores.ts';
import { withLost } from '../support/lost-commits.ts';
import { RandomConversation, steps } from '../support/random-conversation.ts';

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

test('a second call continues with a broken-off copy, and only compares a whole copy', async () => {
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

test('a copy that its caller stops keeps its commits, and reports its progress', async () => {
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

test('a target that continues in another way is not written to', async () => {
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

test('a target that reads back other content is reported', async () => {
  const { store } = await spoken(2);
  const forgetful = changed(new MemoryStore(), (journal) => withLost(journal, new Set([2])));
  await expect(copyConversation(ID, store, forgetful)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('a conversation that is not there rejects NOT_FOUND and makes none', async () => {
  const target = new MemoryStore();
  await expect(copyConversation(ID, new MemoryStore(), target)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await target.list()).items).toEqual([]);
});

test('the target is given up again, even when the copy fails', async () => {
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

test('P1: a target that refuses one commit gets none of the next ones, and a second copy continues', async () => {
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

describe('P4: an error of a copy names its side', () => {
  const lossy = (store: MemoryStore, seq: number): ConversationStore =>
    changed(store, (journal) => withLost(journal, new Set([seq])));

  test('damage of the target is reported with a remedy, and not as a loss of the source', async () => {
    const { store } = await spoken(5);
    const target = new MemoryStore();
    await copyConversation(ID, store, target);
    for (const seq of [0, 3, 5]) {
      const error: unknown = await copyConversation(ID, store, lossy(target, seq)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'CORRUPT',
        message: expect.stringMatching(/the target has lost .*delete/) as string,
      });
      expect(String(error)).toContain(`(${seq})`);
    }
  });

  test('an error of either store has its code and names the side', async () => {
    const { store } = await spoken(5);
    const refusing = (code: 'DENIED' | 'CORRUPT' | 'NOT_FOUND'): ConversationStore =>
      new Proxy(new MemoryStore(), {
        get: (target, key) =>
          key === 'open' || key === 'read'
            ? () => Promise.reject(new StoreError(code, 'no'))
            : (Reflect.get(target, key, target) as unknown),
      });
    await expect(copyConversation(ID, store, refusing('CORRUPT'))).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining('the target') as string,
    });
    await expect(copyConversation(ID, refusing('DENIED'), new MemoryStore())).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('the source') as string,
    });
    await expect(copyConversation(ID, lossy(store, 2), new MemoryStore())).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining('the source') as string,
    });
  });

  test('NOT_FOUND of a target does not count as a deleted source', async () => {
    const { store } = await spoken(2);
    const gone = new Proxy(new MemoryStore(), {
      get: (target, key) =>
        key === 'open' || key === 'read'
          ? () => Promise.reject(new StoreError('NOT_FOUND', 'the folder is gone'))
          : (Reflect.get(target, key, target) as unknown),
    });
    const copied = await Array.fromAsync(copyStore(store, gone));
    expect(copied).toMatchObject([{ id: ID, error: { code: 'NOT_FOUND' } }]);
  });
});
