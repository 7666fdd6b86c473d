import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  applicableCases,
  storeConformance,
  type StoreConformanceCase,
  type StoreSuiteFeatures,
  type StoreUnderTest,
} from '@conv/conformance';
import { SqliteStore, type SqliteDriver } from '../src/index.ts';
import { expireOwners } from './expire-owners.ts';
import { rawly } from './raw-database.ts';

/**
 * Makes a store on its own database. `takeOver` makes the heartbeats of all owners too old, so that the owner counts as stalled. No write
 * comes in late: a transaction holds the lock of the database until it is executed or rolled back.
 */
export async function makeStore(driver: SqliteDriver): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), 'conv-persist-sqlite-'));
  const file = join(directory, 'conversations.db');
  const stores: SqliteStore[] = [];
  const another = (): SqliteStore => {
    const store = new SqliteStore({ file, driver });
    stores.push(store);
    return store;
  };
  return {
    store: another(),
    again: async () => another(),
    takeOver: async (id) => {
      await expireOwners(file, driver);
      return another().open(id, { create: 'never', owner: 'successor' });
    },
    damageRecord: async (id, seq) => {
      rawly(file, (database) =>
        database
          .prepare(
            'UPDATE commits SET body = replace(body, \'"id"\', \'"ie"\') WHERE position & 4294967295 = ? AND ' +
              'position >> 32 = (SELECT key FROM conversations WHERE id = ?)',
          )
          .run(seq, id),
      );
    },
    swapLogs: async (one, other) => {
      rawly(file, (database) => {
        const rename = database.prepare('UPDATE conversations SET id = ? WHERE id = ?');
        for (const [to, from] of [
          ['aside', one],
          [one, other],
          [other, 'aside'],
        ] as const)
          rename.run(to, from);
      });
    },
    goAway: async () => {
      await rename(file, `${file}.away`);
      return () => rename(`${file}.away`, file);
    },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const features: StoreSuiteFeatures = {
  ...new SqliteStore({ file: 'unused' }).features,
  takeOver: true,
  damageRecord: true,
  swapLogs: true,
  goAway: true,
};

/** The cases of the suite for a store in a file. */
export const storeCases: readonly StoreConformanceCase[] = applicableCases(storeConformance, features);
