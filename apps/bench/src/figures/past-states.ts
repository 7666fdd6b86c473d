import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ConversationStore, toCommitSeq } from '@conv/core/store';
import { PostgresStore } from '@conv/persist-postgres';
import { SqliteStore } from '@conv/persist-sqlite';
import { PostgresServer } from '@conv/testing-postgres-server';

import { time, type Figure } from '../figure.ts';
import { percentile } from '../load/followers.ts';
import { Place } from '../place.ts';
import { withoutEventFiles } from '../without-event-files.ts';
import { pastOf, REGION, singly } from './past-log.ts';
import { requestsOnS3 } from './past-requests.ts';

const LOOKS = 400;
/** Events of the log in the bucket, which is slower to fill. */
const MOST_ON_S3 = 20_000;

/** The state at any point of a log of `size` events of 1 KB, a commit each, after the first look at its region. */
export async function pastStates(size: number): Promise<readonly Figure[]> {
  const onS3 = await requestsOnS3(Math.min(size, MOST_ON_S3));
  return [...(await onFiles(size)), ...(await onSqlite(size)), ...(await onPostgres(size)), onS3];
}

async function onFiles(size: number): Promise<readonly Figure[]> {
  await using place = new Place();
  return await looks('fs', place.store({ mirror: 'deferred', disk: withoutEventFiles }), size);
}

async function onSqlite(size: number): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'conv-bench-past-'));
  const store = new SqliteStore({ file: join(directory, 'past.db') });
  try {
    return await looks('sqlite', store, size);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

async function onPostgres(size: number): Promise<readonly Figure[]> {
  const server = await PostgresServer.start();
  const store = new PostgresStore({ connectionString: server.url() });
  try {
    return await looks('postgres', store, size);
  } finally {
    await store.close();
    await server.stop();
  }
}

async function looks(name: string, store: ConversationStore, size: number): Promise<readonly Figure[]> {
  const reader = await store.read(await singly(store, size));
  if (!reader) throw new Error('the conversation is not there');
  const past = await pastOf(reader);
  const look = async (to: number): Promise<number> => {
    let found: number | undefined;
    const elapsed = await time(async () => (found = (await past.at(toCommitSeq(to))).commit?.seq));
    if (found !== to - 1) throw new Error(`expected the state after commit ${to - 1}, found ${found}`);
    return elapsed;
  };
  const first: number[] = [];
  for (let to = 1; to <= size; to += REGION) first.push(await look(to));
  const anywhere: number[] = [];
  const near: number[] = [];
  for (let count = 0; count < LOOKS; count++) {
    const to = 2 + Math.floor(((count * 7919 + 13) % 9973) * ((size - 3) / 9973));
    anywhere.push(await look(to));
    near.push(await look(to + 1), await look(to - 1));
  }
  await reader.close();
  return [
    figure(`${name}.past.first.${size}`, percentile(first, 0.95)),
    figure(`${name}.past.anywhere.${size}`, percentile(anywhere, 0.95), 30),
    figure(`${name}.past.near.${size}`, percentile(near, 0.95), 10),
  ];
}

function figure(name: string, value: number, limit?: number): Figure {
  const target = limit === undefined ? {} : { target: { of: 'value', is: 'at most', limit } as const };
  return { name, value, unit: 'ms', baseline: null, ratio: null, ...target };
}
