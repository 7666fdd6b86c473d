import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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
  const store = new SqliteStore({ file: join(directory, 'ours.db') });
  const bare = new Worker(WORKER, { workerData: join(directory, 'bare.db') });
  try {
    const journal = await store.open(randomUUID(), { owner: 'bench' });
    const body = JSON.stringify({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] });
    const figure = await beside({
      name: 'sqlite.append.single',
      samples,
      limit: 2,
      ours: () => journal.append({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] }, initialFields),
      bare: async () => {
        bare.postMessage([body]);
        await once(bare, 'message');
      },
    });
    await journal.close();
    return [figure];
  } finally {
    await store.close();
    await bare.terminate();
    rmSync(directory, { recursive: true, force: true });
  }
}
