import {
  applicableCases,
  storeConformance,
  type StoreConformanceCase,
  type StoreSuiteFeatures,
  type StoreUnderTest,
} from '@conv/conformance';
import { inject } from 'vitest';
import { PostgresStore, type PostgresStoreSettings } from '../src/index.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { administer, borrowSchema, giveBack } from './fresh-schema.ts';

/**
 * Makes a store in a schema of its own for the time of the test. `takeOver` ends the leases of all owners, so that the owner
 * counts as stalled.
 */
export async function makeStore(settings: PostgresStoreSettings): Promise<StoreUnderTest> {
  const schema = borrowSchema();
  const url = new URL(inject('postgresUrl'));
  const proxy = await CuttingProxy.start(Number(url.port));
  url.port = String(proxy.port);
  const stores: PostgresStore[] = [];
  const another = (): PostgresStore => {
    const store = new PostgresStore({ connectionString: url.href, schema, ...settings });
    stores.push(store);
    return store;
  };
  return {
    store: another(),
    again: async () => another(),
    takeOver: async (id) => {
      await administer(`UPDATE "${schema}".owners SET lease_until = '-infinity'`);
      return another().open(id, { create: 'never', owner: 'successor' });
    },
    damageRecord: async (id, seq) => {
      const log = `(SELECT key FROM "${schema}".heads WHERE id = '${id}')`;
      await administer(`UPDATE "${schema}".commits SET crc = crc # 1 WHERE log = ${log} AND seq = ${seq}`);
    },
    swapLogs: async (one, other) => {
      const aside = crypto.randomUUID();
      for (const [to, from] of [
        [aside, one],
        [one, other],
        [other, aside],
      ] as const)
        for (const table of ['heads', 'summaries'])
          await administer(`UPDATE "${schema}".${table} SET id = '${to}' WHERE id = '${from}'`);
    },
    delayWrite: () => {
      const late = proxy.cut('late', '.append');
      return () => late.deliver();
    },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await proxy.close();
      await giveBack(schema);
    },
  };
}

const features: StoreSuiteFeatures = {
  ...new PostgresStore({ connectionString: 'postgres://unused' }).features,
  takeOver: true,
  damageRecord: true,
  swapLogs: true,
  delayWrite: true,
};

/** The cases of the suite for a store in a database. */
export const storeCases: readonly StoreConformanceCase[] = applicableCases(storeConformance, features);

/** Settings of a store that looks for changes. A lost statement is not sent again, so the next append finds out what has become of it. */
export const looking: PostgresStoreSettings = { requestTimeout: 0, listen: false, pollInterval: 20 };

/** Names of cases in which the two ways to hear of changes differ. */
const differs = /watch|late|lost|delete/;

/** The cases that the short tests run on the second way to hear of changes: all that differ, and a fourth of the others. */
export const shortCases: readonly StoreConformanceCase[] = storeCases.filter(
  ({ name }, index) => index % 4 === 0 || differs.test(name),
);
