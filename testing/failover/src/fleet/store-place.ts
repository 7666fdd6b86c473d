import { join } from 'node:path';

import type { StoreKind } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server } from '@conv/testing-s3-server';

/** The store that a fleet shares. */
export interface StorePlace {
  /** As servers are told. */
  readonly address: string;
  /** Variables that its clients need. */
  readonly environment: Readonly<Record<string, string>>;
  /** Returns the requests to the store, for people. */
  readonly remarks: () => readonly string[];
  readonly close: () => Promise<void>;
}

const BUCKET = 'conversations';

/** Prepares a store with nothing in it; what it keeps in files is in this folder. */
export async function openStorePlace(kind: StoreKind, folder: string): Promise<StorePlace> {
  const nothing = { environment: {}, remarks: () => [], close: async (): Promise<void> => {} };
  switch (kind) {
    case 'fs':
      return { address: `fs:${join(folder, 'conversations')}`, ...nothing };
    case 'sqlite':
      return { address: `sqlite:${join(folder, 'conversations.db')}`, ...nothing };
    case 's3': {
      const server = await createS3Server();
      server.createBucket(BUCKET);
      const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' };
      const address = `s3:${BUCKET}/fleet?region=us-east-1&endpoint=${server.url}`;
      const remarks = (): readonly string[] => [`S3 was asked for ${JSON.stringify(server.counts)}`];
      return { address, environment, remarks, close: () => server.close() };
    }
    case 'postgres': {
      const server = await PostgresServer.start();
      return { address: server.url(), environment: {}, remarks: () => [], close: () => server.stop() };
    }
  }
}
