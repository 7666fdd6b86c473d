import { randomUUID } from 'node:crypto';

import { initialFields } from '@conv/core';
import { PostgresStore } from '@conv/persist-postgres';
import { PostgresServer } from '@conv/testing-postgres-server';
import { Client } from 'pg';

import { beside } from '../beside.ts';
import type { Figure } from '../figure.ts';
import { kilobyteEvent } from '../place.ts';

/** Durable appends of 1 KB to PostgreSQL, each beside an INSERT and COMMIT of the same bytes on a connection of its own. */
export async function appendToPostgres(samples: number): Promise<readonly Figure[]> {
  const server = await PostgresServer.start();
  const bare = new Client({ connectionString: server.url() });
  const store = new PostgresStore({ connectionString: server.url() });
  try {
    await bare.connect();
    await bare.query('CREATE TABLE bare (a bigint, b bigint, body text, PRIMARY KEY (a, b))');
    const journal = await store.open(randomUUID(), { owner: 'bench' });
    const body = JSON.stringify({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] });
    let row = 0;
    const figure = await beside({
      name: 'postgres.append.single',
      samples,
      limit: 1.35,
      ours: () => journal.append({ id: randomUUID(), events: [kilobyteEvent(randomUUID())] }, initialFields),
      bare: () => bare.query('INSERT INTO bare (a, b, body) VALUES ($1, $2, $3)', [1, row++, body]),
    });
    await journal.close();
    return [figure];
  } finally {
    await store.close();
    await bare.end();
    await server.stop();
  }
}
