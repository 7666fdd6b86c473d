import { describe, test } from 'vitest';
import { betterSqlite3, nodeSqlite } from '../src/index.ts';
import { makeStore, storeCases } from './store-under-test.ts';

/**
 * Drivers, and how many cases share a place. All drivers run the same statements, so the second runs every tenth case here and the
 * others in `second-driver.long.test.ts`. The SQLite of the oldest Node runs every third.
 */
const drivers = process.env['CONV_SHORT']
  ? [{ driver: nodeSqlite, every: 3 }]
  : [
      { driver: nodeSqlite, every: 1 },
      { driver: betterSqlite3, every: 10 },
    ];

describe.each(drivers)('on $driver.name', ({ driver, every }) => {
  for (const { name, run } of storeCases.filter((_, index) => index % every === 0))
    test(name, () => run({ make: () => makeStore(driver), waitTimeout: 60_000 }));
});
