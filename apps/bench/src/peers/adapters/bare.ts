import { closeSync, copyFileSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Peer, PeerStore, PeerThread } from '../peer.ts';

/** The plainest durable log: a line of JSON for each message, flushed. */
export const bareFile: Peer = {
  key: 'bare-file',
  title: 'bare file',
  kind: 'files',
  synced: 'fdatasync for each append',
  packages: [],
  remarks: { writers: 'lines of both, in any order: nothing refuses the second writer' },
  load:
    async () =>
    async ({ directory }) =>
      openFile(directory),
};

function openFile(directory: string): PeerStore {
  const pathOf = (id: string): string => join(directory, `${id}.jsonl`);
  return {
    fill: async (id, texts) => {
      const file = openSync(pathOf(id), 'a');
      writeSync(file, texts.map(lineOf).join(''));
      fdatasyncSync(file);
      closeSync(file);
    },
    open: async (id) => openLog(pathOf(id)),
    fork: async (from, to) => {
      copyFileSync(pathOf(from), pathOf(to));
      const file = openSync(pathOf(to), 'r+');
      fdatasyncSync(file);
      closeSync(file);
    },
    close: async () => {},
  };
}

function openLog(path: string): PeerThread {
  const file = openSync(path, 'a');
  const all = async (): Promise<readonly string[]> =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { text: string }).text);
  return {
    append: async (text) => {
      writeSync(file, lineOf(text));
      fdatasyncSync(file);
    },
    last: async (count) => (await all()).slice(-count),
    all,
    close: async () => closeSync(file),
  };
}

/** Returns a line with the members that an event of ours has beside the text. */
function lineOf(text: string): string {
  const id = crypto.randomUUID();
  return `${JSON.stringify({ id, parent_id: id, timestamp: '2026-01-01T00:00:00.000000', source: 'user', text, kind: 'MessageEvent', sender: 'y'.repeat(60), activated_skills: [], extended_content: [] })}\n`;
}

/** The plainest durable table: a row for each message, flushed at its commit. */
export const bareSqlite: Peer = {
  key: 'bare-sqlite',
  title: 'bare SQLite',
  kind: 'sqlite',
  synced: 'write-ahead log, fsync for each commit (synchronous=FULL)',
  packages: [],
  remarks: { writers: 'rows of both, in any order: nothing refuses the second writer' },
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
  return {
    fill: async (id, texts) => {
      database.exec('BEGIN IMMEDIATE');
      for (const text of texts) insert.run(id, lineOf(text));
      database.exec('COMMIT');
    },
    open: async (id) => {
      const tail = database.prepare('SELECT body FROM rows WHERE log = ? ORDER BY number DESC LIMIT ?');
      const whole = database.prepare('SELECT body FROM rows WHERE log = ? ORDER BY number');
      return {
        append: async (text) => void insert.run(id, lineOf(text)),
        last: async (count) => bodies(tail.all(id, count)).toReversed(),
        all: async () => bodies(whole.all(id)),
        close: async () => {},
      };
    },
    fork: async (from, to) => void copy.run(from, to),
    close: async () => database.close(),
  };
}
