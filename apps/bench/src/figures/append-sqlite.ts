import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { initialFields } from '@conv/core';
import { SqliteStore } from '@conv/persist-sqlite';

import { beside } from '../beside.ts';
import type { Figure } from '../figure.ts';
import { kilobyteEvent } from '../place.ts';

const WORKER = fileURLToPath(import.meta.resolve('@conv/testing-harness/bare-sqlite-worker'));

/** Durable appends of 1 KB to SQLite, each beside an INSERT and COMMIT of the same bytes in a thread of its own. */
export async function appendToSqlite(samples: number): Promise<readonly Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'conv-bench-sqlite-'));
  const file = join(directory, 'ours.db');
  const store = new SqliteStore({ file });
  const bare = new Worker(WORKER, { workerData: join(directory, 'bare.db') });
  try {
    const journal = await store.open(randomUUID(), { owner: 'bench' });
    const body = JSON.stringify({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] });
    const append = (): Promise<unknown> =>
      journal.append({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] }, initialFields);
    const pages = await pagesOf(`${file}-wal`, append);
    const figure = await beside({
      name: 'sqlite.append.single',
      samples,
      limit: 1.5,
      ours: append,
      bare: async () => {
        bare.postMessage([body]);
        await once(bare, 'message');
      },
    });
    await journal.close();
    return [figure, { name: 'sqlite.append.pages', value: pages, unit: 'per event', baseline: null, ratio: null }];
  } finally {
    await store.close();
    await bare.terminate();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Bytes of a page in the write-ahead log. */
const PAGE = 4096 + 24;
/** Appends whose pages are counted, few enough for none to be moved into the database meanwhile. */
const COUNTED = 100;

/** Resolves with the pages that an append writes into the write-ahead log. */
async function pagesOf(log: string, append: () => Promise<unknown>): Promise<number> {
  await append();
  const before = statSync(log).size;
  for (let appended = 0; appended < COUNTED; appended++) await append();
  return (statSync(log).size - before) / PAGE / COUNTED;
}
