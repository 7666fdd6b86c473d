import type { RowQuery, StoredRow } from '@conv/store-kit/registry';

import type { ChangedEntry } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';
import { transact } from './schema.ts';

/** The table of a registry. The first change makes it, because a step of the schema would end older programs on the same file. */
const CREATE = `CREATE TABLE IF NOT EXISTS registry_entries (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID`;

const IS_THERE = "SELECT 1 AS there FROM sqlite_schema WHERE type = 'table' AND name = 'registry_entries'";

// the names in results are given, because a damaged schema may spell those of its columns in another way
const COLUMNS = 'name AS name, value AS value, version AS version';

/** Returns a record; `undefined` if there is none. */
export function readEntry(connection: Connection, kind: string, name: string): StoredRow | undefined {
  if (!connection.get(IS_THERE)) return undefined;
  const row = connection.get(`SELECT ${COLUMNS} FROM registry_entries WHERE kind = ? AND name = ?`, kind, name);
  return row && toRow(row);
}

/** Returns records of a kind by the bytes of their names, at most `limit`. */
export function listEntryRows(connection: Connection, { kind, prefix, after, limit }: RowQuery): readonly StoredRow[] {
  if (!connection.get(IS_THERE)) return [];
  const select = `SELECT ${COLUMNS} FROM registry_entries
    WHERE kind = ? AND name > ? AND substr(name, 1, length(?)) = ? ORDER BY name LIMIT ?`;
  return Array.from(connection.iterate(select, kind, after, prefix, prefix, limit), toRow);
}

/** Returns the names and versions of all records of a kind. */
export function entryVersions(connection: Connection, kind: string): ReadonlyMap<string, string> {
  if (!connection.get(IS_THERE)) return new Map();
  const select = 'SELECT name AS name, version AS version FROM registry_entries WHERE kind = ?';
  return new Map(Array.from(connection.iterate(select, kind), ({ name, version }) => [String(name), String(version)]));
}

/**
 * Stores or removes a record if its stored version is the expected one. Returns the version that was found, which is the expected one only
 * if the change is durable.
 */
export function changeEntry(connection: Connection, change: ChangedEntry): string | null {
  const { kind, name, expected, next } = change;
  return transact(connection, () => {
    connection.exec(CREATE);
    const found = readEntry(connection, kind, name)?.version ?? null;
    if (found !== expected) return found;
    if (next === null) connection.run('DELETE FROM registry_entries WHERE kind = ? AND name = ?', kind, name);
    else
      connection.run(
        'INSERT OR REPLACE INTO registry_entries (kind, name, value, version) VALUES (?, ?, ?, ?)',
        kind,
        name,
        next.value,
        next.version,
      );
    return found;
  });
}

function toRow({ name, value, version }: SqliteRow): StoredRow {
  return { name: String(name), value: String(value), version: String(version) };
}
