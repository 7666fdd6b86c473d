import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Peer, PeerStore, PeerThread } from '../peer.ts';
import { appendingRuns } from './appending-runs.ts';
import { BARE_STEP, lineOf, NO_RUNS } from './bare-row.ts';

/** The plainest durable table: a row for each message, flushed at its commit. */
export const bareSqlite: Peer = {
  key: 'bare-sqlite',
  title: 'bare SQLite',
  kind: 'sqlite',
  synced: 'write-ahead log, fsync for each commit (synchronous=FULL)',
  packages: [],
  lacks: { resume: NO_RUNS },
  remarks: { step: BARE_STEP, writers: 'rows of both, in any order: nothing refuses the second writer' },
  load:
    async () =>
    async ({ directory }) =>
      openDatabase(directory),
};

function openDatabase(directory: string): PeerStore {
  const database = new DatabaseSync(join(directory, 'bare.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE IF NOT EXISTS rows (log TEXT, number INTEGER, body TEXT, PRIMARY KEY (log, number))');
  const insert = database.prepare(
    'INSERT INTO rows SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM rows WHERE log = ?1',
  );
  const copy = database.prepare('INSERT INTO rows SELECT ?2, number, body FROM rows WHERE log = ?1');
  const bodies = (rows: readonly Record<string, unknown>[]): readonly string[] =>
    rows.map((row) => (JSON.parse(String(row['body'])) as { text: string }).text);
  const open = (id: string): PeerThread => {
    const tail = database.prepare('SELECT body FROM rows WHERE log = ? ORDER BY number DESC LIMIT ?');
    const whole = database.prepare('SELECT body FROM rows WHERE log = ? ORDER BY number');
    return {
      append: async (text) => void insert.run(id, lineOf(text)),
      last: async (count) => bodies(tail.all(id, count)).toReversed(),
      all: async () => bodies(whole.all(id)),
      close: async () => {},
    };
  };
  return {
    fill: async (id, texts) => {
      database.exec('BEGIN IMMEDIATE');
      for (const text of texts) insert.run(id, lineOf(text));
      database.exec('COMMIT');
    },
    open: async (id) => open(id),
    steps: async (id, calls) => appendingRuns(open(id), calls),
    list: async () =>
      database
        .prepare('SELECT DISTINCT log FROM rows')
        .all()
        .map(({ log }) => String(log)),
    fork: async (from, to) => void copy.run(from, to),
    close: async () => database.close(),
  };
}
