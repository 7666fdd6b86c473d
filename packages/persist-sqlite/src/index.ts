/**
 * Conversations in one SQLite file: durable against loss of power, one writer at a time, lists and events found by indexes,
 * and a main thread that waits for the disk at the first reads alone.
 *
 * @packageDocumentation
 */
export {
  betterSqlite3,
  nodeSqlite,
  type SqliteDatabase,
  type SqliteDriver,
  type SqliteDriverModule,
  type SqliteRow,
  type SqliteStatement,
  type SqliteValue,
} from './driver.ts';
export type { Finding } from './calls.ts';
export { SqliteRegistry, type SqliteRegistryOptions } from './sqlite-registry.ts';
export { SqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';
