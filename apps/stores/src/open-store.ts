import type { OptionNames } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

import { checkStorePlace } from './check-place.ts';
import { driver, s3Drivers } from './driver.ts';
import { s3Client } from './s3-client.ts';
import { parseStoreAddress, type StoreAddress } from './store-address.ts';

/** A store, and the connections that were opened for it. */
export interface OpenedStore {
  readonly store: ConversationStore;
  readonly address: StoreAddress;
  /** Closes the store, and then the connections that were opened for it. */
  close(): Promise<void>;
}

/** The options of {@link openStore}. */
export interface OpenStoreOptions {
  /** Receives problems that a store found and dealt with. Default: they are dropped. */
  readonly report?: (finding: object) => void;
  /**
   * Milliseconds without a heartbeat after which a conversation may be taken over from its owner. Default: the store's
   * own.
   */
  readonly leaseTimeout?: number;
}

const NAMES: OptionNames<OpenStoreOptions> = { report: true, leaseTimeout: true };

/**
 * Opens the store at an address. Only what that store needs is loaded. Rejects `StoreAddressError`, even when something else
 * stands in its place on this machine, when the packages for such an address are not installed, or when neither the address nor the settings
 * of AWS name the region of a bucket; whether a store elsewhere can be reached is known when it is first used.
 */
export async function openStore(text: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  // not loaded with this module, which programs load to know the addresses of stores
  const { checkOptionNames } = await import('@conv/core');
  checkOptionNames('openStore', options, NAMES);
  const address = parseStoreAddress(text);
  checkStorePlace(address);
  const { store, end } = await open(address, options);
  return {
    store,
    address,
    close: async () => {
      await store.close();
      end?.();
    },
  };
}

async function open(
  address: StoreAddress,
  { report, leaseTimeout }: OpenStoreOptions,
): Promise<{ readonly store: ConversationStore; readonly end?: () => void }> {
  const reported = report ? { report } : {};
  const given = leaseTimeout === undefined ? {} : { leaseTimeout };
  switch (address.kind) {
    case 'fs': {
      const { FsStore } = await import('@conv/persist-fs');
      return { store: new FsStore({ directory: address.directory, ...reported, ...given }) };
    }
    case 'sqlite': {
      const { SqliteStore } = await import('@conv/persist-sqlite');
      return { store: new SqliteStore({ file: address.file, ...given }) };
    }
    case 'postgres': {
      const { PostgresStore } = await driver(
        'postgres',
        '@conv/persist-postgres',
        () => import('@conv/persist-postgres'),
      );
      const { connectionString, schema } = address;
      const named = schema === undefined ? {} : { schema };
      return {
        store: new PostgresStore({
          connectionString,
          ...named,
          ...(leaseTimeout === undefined ? {} : { leaseTimeout }),
        }),
      };
    }
    case 's3':
      return openS3(address, reported, given);
  }
}

async function openS3(
  address: Extract<StoreAddress, { kind: 's3' }>,
  reported: Pick<OpenStoreOptions, 'report'>,
  lease: { readonly leaseTimeout?: number },
): Promise<{ readonly store: ConversationStore; readonly end: () => void }> {
  const { bucket, prefix } = address;
  const [aws, { S3Store }] = await s3Drivers();
  const client = await s3Client(address, aws);
  return { store: new S3Store({ client, bucket, prefix, ...reported, ...lease }), end: () => client.destroy() };
}
