import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server } from '@conv/testing-s3-server';

import type { ChurnKind } from './options.ts';

/** An empty store, and its end. */
export interface ChurnGround {
  /** As `@conv/stores` takes it, or `memory`. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

const BUCKET = 'conversations';

/**
 * Prepares an empty store. Servers stay in this process, whose descriptors do not count; files are in memory where that is
 * possible.
 */
export async function openChurnGround(kind: ChurnKind): Promise<ChurnGround> {
  if (kind === 'memory') return { address: kind, close: async () => {} };
  if (kind === 'postgres') {
    const server = await PostgresServer.start();
    return { address: `${server.url()}?schema=churn`, close: () => server.stop() };
  }
  if (kind === 's3') {
    process.env['AWS_ACCESS_KEY_ID'] = 'test';
    process.env['AWS_SECRET_ACCESS_KEY'] = 'test1234';
    const server = await createS3Server();
    server.createBucket(BUCKET);
    const address = `s3:${BUCKET}/churn?region=us-east-1&endpoint=${server.url}`;
    return { address, close: () => server.close() };
  }
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conv-churn-'));
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { address: `${kind}:${join(folder, kind === 'fs' ? 'conversations' : 'conversations.db')}`, close };
}
