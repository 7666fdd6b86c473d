import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { StoreHarness } from '@conv/core/conformance';

import { KeyValueFiles } from './key-value-files.ts';
import { KeyValueStore } from './key-value-store.ts';

/** For `npx @conv/core conformance`: a backend for each case, other store objects on it, and an owner that stalls. */
export const harness: StoreHarness = {
  make: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conv-key-value-'));
    const values = new KeyValueFiles(folder);
    const stores: KeyValueStore[] = [];
    const another = (): KeyValueStore => {
      const store = new KeyValueStore(new KeyValueFiles(folder));
      stores.push(store);
      return store;
    };
    return {
      store: another(),
      again: async () => another(),
      takeOver: async (id) => {
        for (let epoch = 1, key = ''; values.get((key = `${id}.epoch-${epoch}`)); epoch++)
          values.set(key, { ...values.get<object>(key), until: 0 });
        return another().open(id, { create: 'never', owner: 'successor' });
      },
      dispose: async () => {
        await Promise.all(stores.map((store) => store.close()));
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
