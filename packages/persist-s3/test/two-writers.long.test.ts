import { randomUUID } from 'node:crypto';
import { isStoreError, type Journal } from '@conv/core/store';
import { inCi, isCi } from '@conv/testing-harness';
import { conflict, dropAfter, dropBefore, refuseAfter, slowDown, type Fault } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { testBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { message, nameOf, storedIds, Writer } from './writer.ts';

/** Number of times that each thief takes the conversation from the others; fewer in CI. */
const THEFTS = isCi ? 6 : 16;
const MOST_BURSTS = 40;
const STALL = 60_000;

/** Returns a generator of faults for some requests; equal seeds give equal faults. */
function trouble(seed: number): () => Fault | undefined {
  const ways = [slowDown, dropBefore, dropAfter, conflict, () => refuseAfter(500, 'InternalError')];
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return () => (next() < 0.15 ? ways[Math.floor(next() * ways.length)]?.() : undefined);
}

/** Codes that `append` may reject with while others take the conversation. */
const excusable = ['FENCED', 'OUTCOME_UNKNOWN', 'UNAVAILABLE', 'CLOSED'] as const;

/** Outcomes of appends. */
interface Told {
  /** Acknowledged commits, by number and id. */
  readonly acknowledged: string[];
  /** Ids of commits that the store refused as not stored. */
  readonly refused: string[];
}

/** Appends until another process has the conversation, or enough was appended. Adds the outcomes to `told`. */
async function appendUntilFenced(journal: Journal, fields: Writer['fields'], told: Told): Promise<void> {
  for (let bursts = 0; bursts < MOST_BURSTS; bursts++) {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const burst = ids.map((id) => journal.append({ id, events: [message('mine')] }, fields));
    let isOver = false;
    for (const [at, outcome] of (await Promise.allSettled(burst)).entries()) {
      if (outcome.status === 'fulfilled') told.acknowledged.push(nameOf(outcome.value));
      else if (!excusable.some((code) => isStoreError(outcome.reason, code))) throw outcome.reason;
      else if (!isStoreError(outcome.reason, 'OUTCOME_UNKNOWN')) told.refused.push(ids[at] as string);
      isOver ||= outcome.status === 'rejected' && !isStoreError(outcome.reason, 'UNAVAILABLE');
    }
    if (isOver) return;
  }
}

test.each(inCi([1, 2, 3], 3))(
  'P2: writers that take a conversation from each other lose and double no acknowledged commit (%i)',
  async (seed) => {
    let ahead = 0;
    const bucket = await testBucket({ now: () => Date.now() + ahead });
    const writer = await Writer.begin(bucket.store());
    await writer.journal.close();
    const told: Told = { acknowledged: writer.acknowledged.map(nameOf), refused: [] };
    bucket.server.faults = seed === 1 ? undefined : trouble(seed);
    let takeovers = 0;
    const steal = async (): Promise<void> => {
      for (let theft = 0; theft < THEFTS; theft++) {
        const store = bucket.store({ platform: new TestClock() });
        ahead += STALL;
        const journal = await store.open(writer.id, { create: 'never', owner: 'thief' }).catch((error: unknown) => {
          if (isStoreError(error, 'OWNED') || isStoreError(error, 'UNAVAILABLE')) return undefined;
          throw error;
        });
        if (!journal) continue;
        takeovers++;
        await appendUntilFenced(journal, writer.fields, told);
      }
    };
    await Promise.all([steal(), steal(), steal()]);
    bucket.server.faults = undefined;
    const stored = await storedIds(bucket.store(), writer.id);
    expect(takeovers).toBeGreaterThan(THEFTS);
    expect(new Set(stored).size).toBe(stored.length);
    expect(stored.map((name) => Number(name.split(' ')[0]))).toEqual(stored.map((_, at) => at));
    const found = new Set(stored);
    expect(told.acknowledged.filter((name) => !found.has(name))).toEqual([]);
    expect(told.acknowledged.length).toBeGreaterThan(THEFTS);
    const ids = new Set(stored.map((name) => name.split(' ')[1]));
    expect(told.refused.filter((id) => ids.has(id))).toEqual([]);
  },
);
