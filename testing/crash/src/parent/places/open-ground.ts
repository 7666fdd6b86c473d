import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { PostgresServer } from '@conv/testing-postgres-server';
import type { StoreKind } from '@conv/testing-harness';

import { plainPlace, type Ground } from './place.ts';
import { s3Place } from './s3-place.ts';

/** Milliseconds without a sign of life after which a stopped owner may be taken over. */
const TIMEOUT = 200;

/** Prepares what rounds on a kind of store need. */
export async function openGround(kind: StoreKind): Promise<Ground> {
  const close = async (): Promise<void> => {};
  switch (kind) {
    case 'fs':
      return { place: async (folder) => plainPlace(`fs:${join(folder, 'conversations')}`, TIMEOUT), close };
    case 'sqlite':
      return { place: async (folder) => plainPlace(`sqlite:${join(folder, 'conversations.db')}`, TIMEOUT), close };
    case 's3':
      return { place: (_folder, seed) => s3Place(seed), close };
    case 'postgres': {
      const server = await PostgresServer.start();
      const schema = (): string => `round_${randomUUID().replaceAll('-', '')}`;
      return {
        place: async () => plainPlace(`${server.url()}?schema=${schema()}`, TIMEOUT),
        close: () => server.stop(),
      };
    }
  }
}
