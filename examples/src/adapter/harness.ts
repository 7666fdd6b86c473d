import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { StoreHarness } from '@conv/conformance';

import { KeyValueStore } from './key-value-store.ts';
import { KeyValueTable } from './key-value-table.ts';

/** A table whose answers get lost on demand, or whose commands are carried out late. */
class LossyTable extends KeyValueTable {
  lose: 'cut' | 'sentTwice' | 'late' | undefined;
  /** Carries out the late command. */
  arrive: () => unknown = () => {};

  override create(key: string, value: unknown): boolean {
    const how = key.includes('.slot-') ? this.lose : undefined;
    if (how === 'late') {
      this.lose = undefined;
      this.arrive = () => super.create(key, value);
      throw new Error('no answer arrived in time');
    }
    const made = super.create(key, value);
    if (how === undefined) return made;
    this.lose = undefined;
    if (how === 'cut') throw new Error('the connection was closed before the answer arrived');
    return super.create(key, value);
  }
}

/** For `npx @conv/conformance`: a backend for each case, more store objects on it, and the faults that the suite asks for. */
export const harness: StoreHarness = {
  make: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conv-key-value-'));
    const values = new LossyTable(folder);
    const stores: KeyValueStore[] = [];
    const another = (): KeyValueStore => {
      const store = new KeyValueStore(values);
      stores.push(store);
      return store;
    };
    return {
      store: another(),
      again: async () => another(),
      takeOver: async (id) => {
        // the lease is over, although its owner lives
        values.set(`${id}.owner`, { ...values.get<object>(`${id}.owner`), until: 1 });
        return another().open(id, { create: 'never', owner: 'successor' });
      },
      loseAnswer: (how) => {
        values.lose = how;
      },
      delayWrite: () => {
        values.lose = 'late';
        return async () => void values.arrive();
      },
      requests: () => values.commands,
      dispose: async () => {
        await Promise.all(stores.map((store) => store.close()));
        values.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
