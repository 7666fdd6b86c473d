import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { initialFields } from '@conv/core';
import { StoreError, type Commit, type CommitSeq, type NewCommit } from '@conv/core/store';
import { LoadedJournal, type LoadedSink } from '../../src/index.ts';

/** A backend of slots in memory. Each request may be answered by the next fault. */
class Slots implements LoadedSink {
  readonly epoch = 1;
  readonly maxCommitBytes = 1024 * 1024;
  readonly slots: (Commit | 'taken')[] = [];
  readonly faults: ((put: () => boolean) => boolean)[] = [];
  isReachable = true;
  released: boolean | undefined;

  load(): readonly Commit[] {
    return [];
  }
  store(commit: Commit): boolean {
    const put = (): boolean => {
      if (this.slots[commit.seq]) return false;
      this.slots[commit.seq] = commit;
      return true;
    };
    const fault = this.faults.shift();
    return fault ? fault(put) : put();
  }
  readBack(seq: CommitSeq): Commit | 'taken' | undefined {
    if (!this.isReachable) throw new Error('connection refused');
    return this.slots[seq];
  }
  snapshot(): undefined {
    return undefined;
  }
  saveSnapshot(): void {}
  release(isSettled: boolean): void {
    this.released = isSettled;
  }
}

const cut = (put: () => boolean): boolean => {
  put();
  throw new Error('connection reset');
};
const refused = (): boolean => {
  throw new Error('connection refused');
};
const commit = (): NewCommit => ({ id: randomUUID(), events: [] });

/** Reads a place as free once, and then as it is. */
function firstFree(slots: Slots): Slots['readBack'] {
  let isFirst = true;
  return (seq) => {
    if (!isFirst) return slots.slots[seq];
    isFirst = false;
    return undefined;
  };
}

async function journal(): Promise<{ slots: Slots; append: (one?: NewCommit) => Promise<Commit>; made: LoadedJournal }> {
  const slots = new Slots();
  const made = new LoadedJournal('6f1f2f9e-5a0c-4f5e-9d43-0a3c1a2b4c5d', slots);
  await made.refresh();
  return { slots, made, append: (one = commit()) => made.append(one, initialFields) };
}

test('P1: an append whose answer was cut off is acknowledged when it is read back', async () => {
  const { slots, append, made } = await journal();
  slots.faults.push(cut);
  expect((await append()).seq).toBe(0);
  expect((await append()).seq).toBe(1);
  expect([slots.slots.length, made.lost.aborted]).toEqual([2, false]);
});

test('P1: an append that a client sent twice is acknowledged although its place is taken', async () => {
  const { slots, append, made } = await journal();
  slots.faults.push((put) => put() && put());
  expect((await append()).seq).toBe(0);
  expect(made.lost.aborted).toBe(false);
});

test('an append whose request never arrived is stored by a second one', async () => {
  const { slots, append } = await journal();
  slots.faults.push(refused);
  expect((await append()).seq).toBe(0);
  expect(slots.slots).toHaveLength(1);
});

test('P1: an append that cannot be read back rejects OUTCOME_UNKNOWN, and the next one settles it', async () => {
  const { slots, append, made } = await journal();
  slots.faults.push(cut);
  slots.isReachable = false;
  const lost = commit();
  await expect(append(lost)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: new Error('connection reset') });
  slots.isReachable = true;
  expect((await append()).seq).toBe(1);
  const stored = await Array.fromAsync(made.commits());
  expect(stored.map(({ id }) => id)[0]).toBe(lost.id);
});

test('P1: a request that arrives late, after its append rejected, is found in its place by the next append', async () => {
  const { slots, append, made } = await journal();
  let arriveLate: () => boolean = () => false;
  slots.faults.push((put) => {
    arriveLate = put;
    throw new Error('timeout');
  }, refused);
  const late = commit();
  await expect(append(late)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  slots.faults.push((put) => {
    arriveLate();
    return put();
  });
  expect((await append()).seq).toBe(1);
  expect((await Array.fromAsync(made.commits())).map(({ id }) => id)[0]).toBe(late.id);
});

test('P1: a request that comes to nothing after its append rejected leaves its place to the next append', async () => {
  const { slots, append, made } = await journal();
  slots.faults.push(refused, refused);
  await expect(append()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect((await append()).seq).toBe(0);
  expect(await Array.fromAsync(made.commits())).toHaveLength(1);
});

test('P1: a request that may arrive late does not count as not stored when the second one is refused', async () => {
  const { slots, append, made } = await journal();
  let arriveLate: () => boolean = () => false;
  slots.faults.push(
    (put) => {
      arriveLate = put;
      throw new Error('timeout');
    },
    () => {
      throw new StoreError('FULL', 'no space is left');
    },
  );
  const late = commit();
  await expect(append(late)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: { code: 'FULL' } });
  arriveLate();
  expect((await append()).seq).toBe(1);
  expect((await Array.fromAsync(made.commits())).map(({ id }) => id)[0]).toBe(late.id);
});

test.each([
  ['acknowledged if its place holds it', 'stored'],
  ['FENCED if its place is taken', 'taken'],
  ['OUTCOME_UNKNOWN if its place is free', 'free'],
  ['OUTCOME_UNKNOWN if its place cannot be read', 'unread'],
] as const)('P1: an append whose second request alone is fenced off is %s', async (_, place) => {
  const { slots, append, made } = await journal();
  const fenced = new StoreError('FENCED', 'another owner has it');
  slots.faults.push(
    (put) => {
      if (place === 'stored') put();
      throw new Error('timeout');
    },
    () => {
      if (place === 'taken') slots.slots.push('taken');
      slots.isReachable = place !== 'unread';
      throw fenced;
    },
  );
  // the first look at the place comes after the first request, before the next owner has begun
  if (place === 'stored') slots.readBack = firstFree(slots);
  const [first, behind] = await Promise.allSettled([append(), append()]);
  const unknown = { reason: { code: 'OUTCOME_UNKNOWN', cause: fenced } };
  const told = { stored: { value: { seq: 0 } }, taken: { reason: { code: 'FENCED' } }, free: unknown, unread: unknown };
  expect(first).toMatchObject(told[place]);
  expect(behind).toMatchObject({ status: 'rejected' });
  expect(made.lost.reason).toBe(fenced);
  await expect(append()).rejects.toBe(fenced);
});

test.each([['a commit'], ['a fence']])('P2: an append that finds %s of another owner rejects FENCED', async (what) => {
  const { slots, append, made } = await journal();
  slots.slots.push(
    what === 'a fence' ? 'taken' : { ...commit(), seq: 0 as CommitSeq, epoch: 2, firstEvent: 0 as never },
  );
  slots.faults.push(refused);
  await expect(append()).rejects.toMatchObject({ code: 'FENCED' });
  expect(made.lost.reason).toMatchObject({ code: 'FENCED' });
});

test('a StoreError of a store is trusted: the commit counts as not stored', async () => {
  const { slots, append, made } = await journal();
  slots.faults.push(() => {
    throw new StoreError('FULL', 'no space is left');
  });
  await expect(append()).rejects.toMatchObject({ code: 'FULL' });
  expect(slots.slots).toHaveLength(0);
  expect((await append()).seq).toBe(0);
  expect(made.lost.aborted).toBe(false);
});

test('P2: closing tells the store if a request of this owner may still arrive', async () => {
  const settled = await journal();
  await settled.append();
  await settled.made.close();
  expect(settled.slots.released).toBe(true);
  const open = await journal();
  open.slots.faults.push(refused, refused);
  await open.append().catch(() => {});
  await open.made.close();
  expect(open.slots.released).toBe(false);
});

test('closing releases everything and rejects when ownership cannot be given up', async () => {
  const { slots, made } = await journal();
  slots.release = () => {
    throw new Error('connection refused');
  };
  await expect(made.close()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(made.commits().next()).rejects.toMatchObject({ code: 'CLOSED' });
});
