import { join } from 'node:path';
import type { FsRegistry } from '@conv/persist-fs';
import type { PostgresRegistry } from '@conv/persist-postgres';

import { driver } from './driver.ts';
import { parseStoreAddress } from './store-address.ts';

/** A registry, and the connections that were opened for it. */
export interface OpenedRegistry {
  readonly registry: FsRegistry | PostgresRegistry;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the registry of the servers on a store: records that are no conversations, such as keys of clients. It is in the database of a
 * store in PostgreSQL, beside the schema of the store, and in the folder for any other store. The first change makes it.
 */
export async function openRegistry(store: string, folder: string): Promise<OpenedRegistry> {
  const address = parseStoreAddress(store);
  if (address.kind !== 'postgres') {
    const { FsRegistry: Registry } = await import('@conv/persist-fs');
    return { registry: new Registry({ directory: join(folder, 'registry') }), close: async () => {} };
  }
  const { PostgresRegistry: Registry } = await driver(
    'postgres',
    '@conv/persist-postgres',
    () => import('@conv/persist-postgres'),
  );
  const { connectionString, schema = 'conv' } = address;
  const registry = new Registry({ connectionString, schema: `${schema.slice(0, 39)}_registry` });
  return { registry, close: () => registry[Symbol.asyncDispose]() };
}
