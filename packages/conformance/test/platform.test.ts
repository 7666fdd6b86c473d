import { MemoryStore, type Journal } from '@conv/core/store';
import { ManualPlatform, WrappingStore, type JournalChanges } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { applicableCases, storeConformance, type StoreUnderTest } from '../src/index.ts';

/** A store whose watches give nothing and never end. */
class SilentStore extends WrappingStore {
  protected changes(): JournalChanges {
    const next = (): Promise<never> => new Promise(() => {});
    return { watch: (): Journal['watch'] => () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
  }
}

const underTest = (store: MemoryStore | SilentStore): StoreUnderTest => ({
  store,
  again: async () => store,
  dispose: () => store.close(),
});

const features = { ...new MemoryStore().features, takeOver: false };

test('every case for stores holds while the time of its platform stands still', async () => {
  const platform = new ManualPlatform(Date.UTC(2026, 0, 1));
  const cases = applicableCases(storeConformance, features);
  for (const { run } of cases) await run({ platform, make: async () => underTest(new MemoryStore({ platform })) });
  expect(cases.length).toBeGreaterThan(90);
  expect(platform.waits).toEqual([]);
});

test('a case waits for a store as long as the time of its platform says', async () => {
  const platform = new ManualPlatform();
  const watching = storeConformance.find(({ name }) => name === 'a watch from the end gives only new commits');
  const waiting = watching?.run({ platform, make: async () => underTest(new SilentStore()) });
  waiting?.catch(() => {});
  await platform.untilWaiting(4000);
  platform.pass(4000);
  await expect(waiting).rejects.toThrow('waited 4000 ms for 2 commits from 2 on');
});
