import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applicableCases, storeConformance, type StoreUnderTest } from '@conv/conformance';
import { toConversationKey } from '@conv/core/store';
import { describe, test } from 'vitest';
import { FsStore, type MirrorMode } from '../src/index.ts';
import { damageRecord } from './support/damage-record.ts';
import { LateDisk } from './support/late-disk.ts';

/** Makes a store in a folder of its own. An owner stalls when its owner record and its lease are removed. */
async function make(mirror: MirrorMode): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'conv-persist-fs-'));
  const late = new LateDisk();
  const stores = [new FsStore({ directory, mirror, disk: late.disk })];
  const another = (): FsStore => {
    const store = new FsStore({ directory, mirror, disk: late.disk });
    stores.push(store);
    return store;
  };
  return {
    store: stores[0] as FsStore,
    again: async () => another(),
    swapLogs: async (one, other) => {
      const [a, b] = [one, other].map((id) => join(directory, toConversationKey(id), '.conv')) as [string, string];
      await rename(a, `${a}-aside`);
      await rename(b, a);
      await rename(`${a}-aside`, b);
    },
    takeOver: async (id) => {
      const folder = join(directory, toConversationKey(id));
      await rm(join(folder, '.conv', 'owner.json'));
      await rm(join(folder, 'owner_lease.json'));
      return another().open(id, { create: 'never', owner: 'successor' });
    },
    delayWrite: () => late.delay(),
    damageRecord: (id, seq) => damageRecord(join(directory, toConversationKey(id)), seq),
    dispose: async () => {
      for (const store of stores) await store.close();
      late.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const features = {
  ...new FsStore({ directory: 'unused' }).features,
  swapLogs: true,
  takeOver: true,
  damageRecord: true,
  delayWrite: true,
};

/** On a second Node each mode runs every third case: other cases in each. */
const every = process.env['CONV_SHORT'] === undefined ? 1 : 3;

describe.each(['always', 'deferred'] as const)('with the mirror written %s', (mirror) => {
  const first = mirror === 'always' ? 0 : every - 1;
  const asked = applicableCases(storeConformance, features).filter((_, at) => at % every === first);
  for (const { name, run } of asked) test(name, () => run({ make: () => make(mirror), waitTimeout: 60_000 }));
});
