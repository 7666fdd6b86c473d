/**
 * Conversations in a PostgreSQL database: any number of servers share them, one at a time writes each, and all of them can read
 * and watch it.
 *
 * @packageDocumentation
 */
export type { PostgresConnection, PostgresPool, PostgresQuery } from './postgres-pool.ts';
export { PostgresStore } from './postgres-store.ts';
export { PostgresRegistry, type PostgresRegistryOptions } from './registry/postgres-registry.ts';
export type { PostgresStoreOptions, PostgresStoreSettings } from './store-options.ts';
