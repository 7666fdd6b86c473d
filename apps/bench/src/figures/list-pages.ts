import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

import type { ConversationStore } from '@conv/core/store';
import { PostgresStore } from '@conv/persist-postgres';
import { SqliteStore } from '@conv/persist-sqlite';
import { PostgresServer } from '@conv/testing-postgres-server';
import { Client } from 'pg';

import { beside } from '../beside.ts';
import { BucketPlace } from '../bucket-place.ts';
import { median, time, type Figure } from '../figure.ts';
import { fieldsOf, fillFolder, listed, timeOf } from '../listed-conversations.ts';
import { Place } from '../place.ts';

const PAGE = 50;

const COLUMNS = 'id, title, status, created_at, updated_at, tags, parent_id, forked_from';

/** A page of the newest conversations among many, in SQLite and PostgreSQL in turns with the bare query. */
export async function listPages(conversations: number, samples: number): Promise<readonly Figure[]> {
  return [
    await ofSqlite(conversations, samples),
    await ofPostgres(conversations, samples),
    await ofFiles(conversations, samples),
    await ofS3(conversations),
  ];
}

async function ofSqlite(conversations: number, samples: number): Promise<Figure> {
  await using place = new Place();
  const file = join(place.directory, 'ours.db');
  await makeOne(new SqliteStore({ file }));
  const database = new DatabaseSync(file);
  const store = new SqliteStore({ file });
  try {
    const insert = database.prepare(
      `INSERT INTO conversations (epoch, next_seq, next_event, ${COLUMNS}) VALUES (1, 1, 0, ?, ?, 'finished', ?, ?, '{}', NULL, NULL)`,
    );
    database.exec('BEGIN');
    for (const { id, nth } of listed(conversations))
      insert.run(id, JSON.stringify(fieldsOf({ id, nth }).title), timeOf(nth), timeOf(nth));
    database.exec('COMMIT');
    const query = database.prepare(
      `SELECT ${COLUMNS} FROM conversations ORDER BY updated_at DESC, id DESC LIMIT ${PAGE}`,
    );
    const name = `list.page.sqlite.${conversations}`;
    return await beside({ name, samples, limit: 3, ours: () => pageOf(store), bare: async () => query.all() });
  } finally {
    await store.close();
    database.close();
  }
}

async function ofPostgres(conversations: number, samples: number): Promise<Figure> {
  const server = await PostgresServer.start();
  const client = new Client({ connectionString: server.url() });
  const store = new PostgresStore({ connectionString: server.url() });
  try {
    await client.connect();
    await makeOne(new PostgresStore({ connectionString: server.url() }));
    await client.query(
      `INSERT INTO conv.summaries (key, ${COLUMNS})
       SELECT 1000000 + n, gen_random_uuid(), '"Conversation ' || n || ' about something that someone asked"', 'finished',
         to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), at, '{}', NULL, NULL
       FROM (SELECT n, timestamptz '2026-01-01' + n * interval '1 second' AS at FROM generate_series(1, $1) n) made`,
      [conversations],
    );
    await client.query('ANALYZE conv.summaries');
    const query = `SELECT ${COLUMNS} FROM conv.summaries ORDER BY updated_at DESC, id DESC LIMIT ${PAGE}`;
    const name = `list.page.postgres.${conversations}`;
    return await beside({ name, samples, limit: 3, ours: () => pageOf(store), bare: () => client.query(query) });
  } finally {
    await store.close();
    await client.end();
    await server.stop();
  }
}

async function ofFiles(conversations: number, samples: number): Promise<Figure> {
  await using place = new Place();
  fillFolder(place.directory, conversations);
  const store = place.store();
  await pageOf(store);
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample++) times.push(await time(() => pageOf(store)));
  const target = { of: 'value', is: 'at most', limit: 20 } as const;
  const name = `list.page.files.${conversations}`;
  return { name, value: median(times), unit: 'ms', baseline: null, ratio: null, target };
}

/** The requests of a page in a new process, after another process has changed a conversation. The conversations are copies of one. */
async function ofS3(conversations: number): Promise<Figure> {
  await using place = await BucketPlace.open();
  await makeOne(place.store());
  const { server } = place;
  const key = server.keys('bench').find((one) => one.includes('manifests/'));
  if (key === undefined) throw new Error('expected the manifest of a conversation, found none');
  const { check: _, ...manifest } = JSON.parse(server.body('bench', key).toString()) as ManifestObject;
  for (const one of listed(conversations)) {
    const { id, nth } = one;
    const updatedAt = timeOf(nth);
    const summary = { ...manifest.summary, title: fieldsOf(one).title, createdAt: updatedAt, updatedAt };
    const name = key.replace(/[^/]+$/, `${id.replaceAll('-', '')}.json`);
    server.restore('bench', name, sealed({ ...manifest, id, summary }), Date.parse(updatedAt));
  }
  // the first list reads every manifest once, for all processes
  const first = place.store();
  await pageOf(first);
  await first.close();
  await makeOne(place.store());
  place.forget();
  await pageOf(place.store());
  const target = { of: 'value', is: 'at most', limit: 3 } as const;
  const value = place.asked.requests;
  return { name: `list.page.s3.${conversations}`, value, unit: 'requests', baseline: null, ratio: null, target };
}

/** The members of a manifest that differ between the conversations. */
interface ManifestObject {
  readonly check: string;
  readonly id: string;
  readonly summary: object;
}

/** A manifest with the check value in front that covers its other members. */
function sealed(manifest: Omit<ManifestObject, 'check'>): Buffer {
  const members = JSON.stringify(manifest).slice(1);
  return Buffer.from(`{"check":"${crc32(members).toString(16).padStart(8, '0')}",${members}`);
}

/** Makes the tables, or the first objects, of a store, and closes it. */
async function makeOne(store: ConversationStore): Promise<void> {
  const journal = await store.open(randomUUID(), { owner: 'bench' });
  await journal.append({ id: randomUUID(), events: [] }, fieldsOf({ id: randomUUID(), nth: 0 }));
  await journal.close();
  await store.close();
}

async function pageOf(store: ConversationStore): Promise<void> {
  const { items } = await store.list({ limit: PAGE });
  if (items.length !== PAGE) throw new Error(`expected ${PAGE} conversations, found ${items.length}`);
}
