import { Pool } from 'pg';

import type { Peer, PeerStore, PeerThread } from '../peer.ts';
import { appendingRuns } from './appending-runs.ts';
import { BARE_STEP, lineOf, NO_RUNS } from './bare-row.ts';

/** The plainest table of a server: a row for each message, committed. */
export const barePostgres: Peer = {
  key: 'bare-postgres',
  title: 'bare PostgreSQL',
  kind: 'postgres',
  synced: 'commit, flushed by the server (synchronous_commit=on)',
  packages: [],
  lacks: { resume: NO_RUNS },
  remarks: {
    step: BARE_STEP,
    writers: 'rows of both, in any order: nothing refuses the second writer',
  },
  load:
    async () =>
    async ({ database = '' }) => {
      const pool = new Pool({ connectionString: database });
      await pool.query(
        'CREATE TABLE IF NOT EXISTS rows (log text, number bigserial, body text, PRIMARY KEY (log, number))',
      );
      return openTable(pool);
    },
};

function openTable(pool: Pool): PeerStore {
  const ask = async (name: string, text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await pool.query<Row>({ name, text, values: [...values] })).rows;
  const texts = (rows: readonly Row[]): readonly string[] =>
    rows.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  const openRows = (id: string): PeerThread => ({
    append: async (text) =>
      void (await ask('append', 'INSERT INTO rows (log, body) VALUES ($1, $2)', [id, lineOf(text)])),
    last: async (count) =>
      texts(
        await ask('last', 'SELECT body FROM rows WHERE log = $1 ORDER BY number DESC LIMIT $2', [id, count]),
      ).toReversed(),
    all: async () => texts(await ask('all', 'SELECT body FROM rows WHERE log = $1 ORDER BY number', [id])),
    close: async () => {},
  });
  return {
    fill: async (id, all) =>
      void (await ask('fill', 'INSERT INTO rows (log, body) SELECT $1, unnest($2::text[])', [id, all.map(lineOf)])),
    open: async (id) => openRows(id),
    fork: async (from, to) =>
      void (await ask('fork', 'INSERT INTO rows (log, body) SELECT $2, body FROM rows WHERE log = $1 ORDER BY number', [
        from,
        to,
      ])),
    steps: async (id, calls) => appendingRuns(openRows(id), calls),
    list: async () => {
      const { rows } = await pool.query<{ log: string }>('SELECT DISTINCT log FROM rows');
      return rows.map(({ log }) => log);
    },
    close: () => pool.end(),
  };
}

interface Row {
  readonly body: string;
}
