import { setImmediate as turn } from 'node:timers/promises';

import { StoreError, toCommitSeq, toEventIndex, type Commit, type JournalEnd } from '@conv/core/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Doorbell, watchCommits } from '../../src/index.ts';

/** A log in memory that can be damaged and out of reach. */
class Log {
  readonly bell = new Doorbell();
  readonly signal = new AbortController();
  readonly lost = new Set<number>();
  /**
   * The number of commits that can be read before the store is out of reach. 0: not even the end of the log is found.
   */
  reachable = Infinity;
  length = 0;
  isClosed = false;
  unavailable = 0;
  /** The ranges that were read. */
  readonly reads: [from: number, to: number][] = [];
  error: Error = new StoreError('UNAVAILABLE', 'the cable is out');

  watch(from = 0): AsyncGenerator<Commit, void, undefined> {
    return watchCommits({
      from: toCommitSeq(from),
      signal: this.signal.signal,
      isClosed: () => this.isClosed,
      look: async () => this.#end(),
      commits: ({ from: first, to }) => this.#commits(first, to),
      wait: () => this.bell.rung(),
      onUnavailable: () => void this.unavailable++,
    });
  }

  change(change: Partial<Pick<Log, 'reachable' | 'length' | 'isClosed'>>): void {
    Object.assign(this, change);
    this.bell.ring();
  }

  #end(): JournalEnd {
    if (this.reachable === 0) throw this.error;
    return { seq: toCommitSeq(this.length), event: toEventIndex(0) };
  }

  async *#commits(from: number, to: number): AsyncGenerator<Commit> {
    this.reads.push([from, to]);
    for (let seq = from; seq < to; seq++) {
      if (this.lost.has(seq)) continue;
      if (this.reachable-- === 0) {
        this.reachable = 0;
        throw this.error;
      }
      yield { seq: toCommitSeq(seq), epoch: 1, id: `commit ${seq}`, firstEvent: toEventIndex(0), events: [] };
    }
  }
}

/** Collects what a watch hands out. */
function collect(watch: AsyncIterable<Commit>): { readonly seqs: number[]; readonly ended: Promise<void> } {
  const seqs: number[] = [];
  const ended = (async () => {
    for await (const { seq } of watch) seqs.push(seq);
  })();
  return { seqs, ended };
}

type Step =
  | { readonly do: 'grow'; readonly by: number; readonly isLost: boolean }
  | { readonly do: 'fail'; readonly after: number }
  | { readonly do: 'recover' }
  | { readonly do: 'turn' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('grow' as const), by: fc.integer({ min: 1, max: 4 }), isLost: fc.boolean() }),
    fc.record({ do: fc.constant('fail' as const), after: fc.nat(5) }),
    fc.constantFrom<Step[]>({ do: 'recover' }, { do: 'turn' }),
  ),
  { maxLength: 40, size: 'max' },
);

test('a watch hands out each commit once and in order, over damage and times without a store', async () => {
  let outages = 0;
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(6), async (history, from) => {
      const log = new Log();
      const { seqs, ended } = collect(log.watch(from));
      for (const step of history) {
        if (step.do === 'turn') await turn();
        else if (step.do === 'recover') log.change({ reachable: Infinity });
        else if (step.do === 'fail') log.reachable = step.after;
        else {
          // The last added commit is whole, so that the loss is after the end when the watch meets it.
          if (step.isLost) for (let at = 0; at < step.by - 1; at++) log.lost.add(log.length + at);
          log.change({ length: log.length + step.by });
        }
      }
      log.change({ reachable: Infinity });
      await turn();
      const all = Array.from({ length: log.length }, (_, seq) => seq);
      expect(seqs).toEqual(all.filter((seq) => seq >= from && !log.lost.has(seq)));
      outages += log.unavailable;
      log.signal.abort();
      log.bell.ring();
      await ended;
    }),
    { numRuns: 300 },
  );
  expect(outages).toBeGreaterThan(100);
});

test('a damaged commit at the end of the log is read once, and passed over when the log continues', async () => {
  const log = new Log();
  log.lost.add(1);
  log.length = 2;
  const { seqs, ended } = collect(log.watch());
  await turn();
  log.change({});
  await turn();
  log.change({ length: 3 });
  await turn();
  expect(seqs).toEqual([0, 2]);
  expect(log.reads).toEqual([
    [0, 2],
    [2, 2],
    [2, 3],
  ]);
  log.signal.abort();
  log.bell.ring();
  await ended;
});

test('a watch ends without an error when its signal aborts and when its reader is closed', async () => {
  for (const end of ['abort', 'close'] as const) {
    const log = new Log();
    log.length = 2;
    const { seqs, ended } = collect(log.watch());
    await turn();
    if (end === 'abort') log.signal.abort();
    log.change(end === 'close' ? { isClosed: true } : {});
    await ended;
    expect(seqs).toEqual([0, 1]);
  }
});

test('a watch that is aborted between two commits hands out no other', async () => {
  const log = new Log();
  log.length = 9;
  const seqs: number[] = [];
  for await (const { seq } of log.watch()) {
    seqs.push(seq);
    if (seq === 3) log.signal.abort();
  }
  expect(seqs).toEqual([0, 1, 2, 3]);
});

test('a watch throws every error but UNAVAILABLE, and none of a read that a close cuts off', async () => {
  const log = new Log();
  log.error = new StoreError('NOT_FOUND', 'conversation x was deleted');
  log.reachable = 0;
  await expect(collect(log.watch()).ended).rejects.toBe(log.error);
  const closed = new Log();
  closed.error = new StoreError('CLOSED', 'conversation x');
  closed.length = 1;
  const { ended } = collect(closed.watch());
  await turn();
  closed.reachable = 0;
  closed.change({ isClosed: true });
  await ended;
});

test('a ring that comes before a wait is kept, and one ring ends one wait', async () => {
  const bell = new Doorbell();
  bell.ring();
  bell.ring();
  await bell.rung();
  let isOver = false;
  const waiting = bell.rung().then(() => (isOver = true));
  await turn();
  expect(isOver).toBe(false);
  bell.ring();
  await waiting;
});
