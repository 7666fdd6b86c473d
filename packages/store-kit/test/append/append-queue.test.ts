import { setImmediate as turn } from 'node:timers/promises';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { AppendQueue, type WaitingAppend } from '../../src/index.ts';

const limits = { commits: 3, size: 10 };

interface Item extends WaitingAppend {
  readonly number: number;
  readonly resolve: () => void;
}

/** A queue whose groups are stored when the test says so. */
class Bench {
  readonly groups: (readonly Item[])[] = [];
  readonly outcomes: ('stored' | Error | undefined)[] = [];
  readonly busy: boolean[] = [];
  /** The number of items that had been added when each reason was reported. */
  readonly toldAt = new Map<unknown, number>();
  readonly queue: AppendQueue<Item> = new AppendQueue<Item>({
    limits,
    store: (group) => this.#store(group),
    onBusy: (isBusy) => void this.busy.push(isBusy),
  });
  #onTheWay: { readonly resolve: () => void; readonly reject: (reason: Error) => void } | undefined;

  add(size: number, refusal?: Error): void {
    const number = this.outcomes.push(undefined) - 1;
    const settle = (outcome: 'stored' | Error): void => {
      expect(this.outcomes[number]).toBeUndefined();
      this.outcomes[number] = outcome;
      if (outcome !== 'stored' && !this.toldAt.has(outcome)) this.toldAt.set(outcome, this.outcomes.length);
    };
    const resolve = (): void => settle('stored');
    this.queue.add({ number, size, refusal, resolve, reject: (reason) => settle(reason as Error) });
  }

  /** Ends the group on its way. Returns false if there is none. */
  finish(failure?: Error): boolean {
    const group = this.#onTheWay;
    this.#onTheWay = undefined;
    if (failure) group?.reject(failure);
    else group?.resolve();
    return group !== undefined;
  }

  async #store(group: readonly Item[]): Promise<void> {
    this.groups.push(group);
    await new Promise<void>((resolve, reject) => (this.#onTheWay = { resolve, reject }));
    for (const { resolve } of group) resolve();
  }
}

type Step =
  | { readonly do: 'add'; readonly size: number; readonly isRefused: boolean }
  | { readonly do: 'finish'; readonly fails: boolean }
  | { readonly do: 'turn' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('add' as const),
        size: fc.integer({ min: 0, max: 14 }),
        isRefused: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('finish' as const), fails: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant<Step>({ do: 'turn' }) },
  ),
  { maxLength: 60, size: 'max' },
);

async function play(history: readonly Step[]): Promise<Bench> {
  const bench = new Bench();
  for (const step of history) {
    if (step.do === 'add') bench.add(step.size, step.isRefused ? new Error('refused') : undefined);
    else if (step.do === 'finish') bench.finish(step.fails ? new Error('failed') : undefined);
    else await turn();
  }
  do await turn();
  while (bench.finish());
  await bench.queue.settled();
  return bench;
}

test('P1: every append is settled once, and groups keep the order and the limits', async () => {
  let [stored, rejected] = [0, 0];
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { outcomes, groups, queue } = await play(history);
      expect(outcomes).not.toContain(undefined);
      expect(queue.isEmpty).toBe(true);
      const numbers = groups.flat().map(({ number }) => number);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(limits.commits);
        const size = group.reduce((sum, item) => sum + item.size, 0);
        expect(group.length === 1 || size <= limits.size).toBe(true);
        expect(group.some(({ refusal }) => refusal)).toBe(false);
      }
      stored += outcomes.filter((outcome) => outcome === 'stored').length;
      rejected += outcomes.filter((outcome) => outcome !== 'stored').length;
    }),
    { numRuns: 300 },
  );
  expect(stored).toBeGreaterThan(100);
  expect(rejected).toBeGreaterThan(100);
});

test('P1: a refusal rejects every item added before it was reported, and no later item', async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { outcomes, toldAt } = await play(history);
      for (const [reason, added] of toldAt) {
        seen++;
        const first = outcomes.indexOf(reason as Error);
        const last = outcomes.lastIndexOf(reason as Error);
        expect(last).toBeLessThan(added);
        expect(new Set(outcomes.slice(first, added))).toEqual(new Set([reason]));
      }
    }),
    { numRuns: 300 },
  );
  expect(seen).toBeGreaterThan(100);
});

test('appends of one turn of the event loop are one group, and later appends are the next group', async () => {
  const bench = new Bench();
  bench.add(1);
  bench.add(1);
  await turn();
  bench.add(1);
  await turn();
  expect(bench.groups.map((group) => group.length)).toEqual([2]);
  bench.finish();
  await turn();
  expect(bench.groups.map((group) => group.length)).toEqual([2, 1]);
  expect(bench.busy).toEqual([true]);
  bench.finish();
  await bench.queue.settled();
  expect(bench.busy).toEqual([true, false]);
});

test('an append larger than a group is stored alone', async () => {
  const bench = new Bench();
  for (const size of [1, 99, 1]) bench.add(size);
  do await turn();
  while (bench.finish());
  expect(bench.groups.map((group) => group.map(({ size }) => size))).toEqual([[1], [99], [1]]);
});

test('items added while a group gathers are stored with it', async () => {
  const groups: number[] = [];
  const gathering = Promise.withResolvers<undefined>();
  const queue = new AppendQueue<WaitingAppend>({
    limits,
    gather: () => gathering.promise,
    store: async (group) => void groups.push(group.length),
  });
  const item = { size: 1, refusal: undefined, reject: (): void => {} };
  queue.add(item);
  await turn();
  queue.add(item);
  gathering.resolve(undefined);
  await queue.settled();
  expect(groups).toEqual([2]);
});

test('a failure to gather rejects everything that waits, and the queue continues', async () => {
  const told: unknown[] = [];
  let fails = true;
  let stored = 0;
  const queue = new AppendQueue<WaitingAppend>({
    limits,
    gather: async () => {
      if (fails) throw new Error('no room');
    },
    store: async ({ length }) => void (stored += length),
  });
  const item = { size: 1, refusal: undefined, reject: (reason: unknown): void => void told.push(reason) };
  queue.add(item);
  queue.add(item);
  await queue.settled();
  fails = false;
  queue.add(item);
  await queue.settled();
  expect(told).toEqual([new Error('no room'), new Error('no room')]);
  expect(stored).toBe(1);
});
