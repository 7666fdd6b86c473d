import { join } from 'node:path';
import type { FsRegistry } from '@conv/persist-fs';
import type { PostgresRegistry } from '@conv/persist-postgres';
import type { S3Registry } from '@conv/persist-s3';
import type { SqliteRegistry } from '@conv/persist-sqlite';

import { checkStorePlace } from './check-place.ts';
import { driver, s3Drivers } from './driver.ts';
import { s3Client } from './s3-client.ts';
import { parseStoreAddress } from './store-address.ts';

/** A registry, and the connections that were opened for it. */
export interface OpenedRegistry {
  readonly registry: FsRegistry | SqliteRegistry | PostgresRegistry | S3Registry;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the registry of the servers on a store: records that are no conversations, such as keys of clients. It is beside the
 * conversations: in the file of a store in SQLite, in the database of a store in PostgreSQL, in a schema of its own, and below the
 * prefix of a store in S3. For a store of folders it is in `folder`. The first change makes it. Rejects `StoreAddressError` as
 * `openStore` does.
 */
export async function openRegistry(store: string, folder: string): Promise<OpenedRegistry> {
  const address = parseStoreAddress(store);
  switch (address.kind) {
    case 'fs': {
      const { FsRegistry: Registry } = await import('@conv/persist-fs');
      return { registry: new Registry({ directory: join(folder, 'registry') }), close: async () => {} };
    }
    case 'sqlite': {
      checkStorePlace(address);
      const { SqliteRegistry: Registry } = await import('@conv/persist-sqlite');
      return closable(new Registry({ file: address.file }));
    }
    case 'postgres': {
      const { PostgresRegistry: Registry } = await driver(
        'postgres',
        '@conv/persist-postgres',
        () => import('@conv/persist-postgres'),
      );
      const { connectionString, schema = 'conv' } = address;
      return closable(new Registry({ connectionString, schema: `${schema.slice(0, 39)}_registry` }));
    }
    case 's3': {
      const { bucket, prefix } = address;
      const [aws, { S3Registry: Registry }] = await s3Drivers();
      const client = await s3Client(address, aws);
      return { registry: new Registry({ client, bucket, prefix }), close: async () => client.destroy() };
    }
  }
}

function closable(registry: SqliteRegistry | PostgresRegistry): OpenedRegistry {
  return { registry, close: async () => registry[Symbol.asyncDispose]() };
}
