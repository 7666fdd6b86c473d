import { join } from 'node:path';
import process from 'node:process';

import { MemoryStore } from '@conv/core/store';
import { usedToday } from '@conv/server/records';
import { openRegistry } from '@conv/stores';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { says } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { CALL, startCounting, type CountingServer } from './counting-server.ts';

let postgres: PostgresServer;
let s3: S3Server;

beforeAll(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), createS3Server()]);
  s3.createBucket('conversations');
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' });
});

afterAll(async () => {
  await Promise.all([postgres.stop(), s3.close()]);
});

const STORES: Readonly<Record<string, (folder: string) => string>> = {
  folders: (folder) => `fs:${join(folder, 'store')}`,
  SQLite: (folder) => `sqlite:${join(folder, 'store.db')}`,
  PostgreSQL: () => postgres.url(),
  S3: () => `s3:conversations/usage?endpoint=${s3.url}&region=us-east-1`,
};

/** Two servers that share nothing but the registry of a store, which each opens for itself. */
async function twoServers(
  kind: string,
  daily: { readonly runs?: number; readonly cost?: number },
): Promise<{ readonly servers: readonly CountingServer[]; readonly used: () => ReturnType<typeof usedToday> }> {
  const folder = newFolder();
  const address = STORES[kind]?.(folder) ?? '';
  const opened = await Promise.all([1, 2].map(() => openRegistry(address, folder)));
  const servers = await Promise.all(
    opened.map(({ registry }) => startCounting({ folder, store: new MemoryStore(), registry, daily })),
  );
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all(opened.map((each) => each.close()));
  });
  const [{ registry } = { registry: undefined }] = opened;
  if (!registry) throw new Error('no registry was opened');
  return { servers, used: () => usedToday(registry, 'ann') };
}

const RUNS = 7;

describe.each(Object.keys(STORES))('a registry in %s', (kind) => {
  test('a registry lets many runs of one key at two servers start as often as its limit says', async () => {
    const { servers, used } = await twoServers(kind, { runs: RUNS });
    const made = await Promise.all(
      servers.flatMap((server) => Array.from({ length: 8 }, async () => ({ server, path: await server.make() }))),
    );
    const asked = await Promise.all(
      made.map(({ server, path }) => server.call('POST', `${path}/events`, says('go', { run: true }))),
    );
    const counts = Map.groupBy(asked, ({ status }) => status);
    expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([RUNS, 16 - RUNS]);
    expect((await used()).runs).toBe(RUNS);
  });

  test('a registry never lets the models of many runs cost more than the limit of their key', async () => {
    const { servers, used } = await twoServers(kind, { cost: 5.5 * CALL });
    const made = await Promise.all(
      servers.flatMap((server) => Array.from({ length: 6 }, async () => ({ server, path: await server.make() }))),
    );
    await Promise.all(made.map(({ server, path }) => server.call('POST', `${path}/events`, says('go', { run: true }))));
    await eventually(async () => (await used()).cost >= 5 * CALL - 1e-9);
    const total = async (): Promise<number> => {
      const infos = await Promise.all(made.map(({ server, path }) => server.call('GET', path)));
      return infos.filter(({ body }) => (body as { execution_status: string }).execution_status === 'finished').length;
    };
    await eventually(async () => (await total()) === 5);
    expect((await used()).cost).toBeCloseTo(5 * CALL, 9);
  });
});
