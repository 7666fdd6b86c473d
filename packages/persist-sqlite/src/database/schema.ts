import { isoNow } from '@conv/core/platform';

import type { Connection } from './connection.ts';
import { migrations } from './migrations.ts';
import { Refusal } from './refusal.ts';

/** Brings a database to the newest schema, all steps or none. `UNSUPPORTED`: it is newer, or of another program. */
export function migrate(connection: Connection, steps: readonly string[] = migrations): void {
  if (versionOf(connection, steps.length) === steps.length) return;
  connection.transaction(() => {
    // another process may have migrated it meanwhile
    const version = versionOf(connection, steps.length);
    if (version === 0) {
      connection.exec(
        'CREATE TABLE IF NOT EXISTS conv_schema (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
      );
    }
    for (const [at, step] of steps.entries()) {
      if (at < version) continue;
      connection.exec(step);
      connection.run('INSERT INTO conv_schema VALUES (?, ?)', at + 1, isoNow(connection.platform));
    }
    // Fence running programs of an older version: they would write what the new schema has changed.
    if (version > 0 && version < steps.length)
      connection.run('UPDATE conversations SET epoch = epoch + 1, owner_token = NULL');
  });
}

/**
 * Runs `action` in a transaction on the schema that this version knows, because a newer version may have migrated it since the
 * database was opened. See {@link Connection.transaction}.
 */
export function transact<Value>(connection: Connection, action: () => Value): Value {
  return connection.transaction(() => {
    versionOf(connection);
    return action();
  });
}

/** Returns the version of a schema, 0 for an empty database. Throws `UNSUPPORTED` or `CORRUPT` for an unknown schema. */
export function versionOf(connection: Connection, known: number = migrations.length): number {
  const tables = connection.get("SELECT count(*) AS count FROM sqlite_schema WHERE type = 'table'")?.['count'];
  if (tables === 0) return 0;
  const own = connection.get("SELECT 1 AS there FROM sqlite_schema WHERE type = 'table' AND name = 'conv_schema'");
  if (!own) {
    throw new Refusal(
      'UNSUPPORTED',
      `database ${connection.file} holds the tables of another program; give another file`,
    );
  }
  const version = Number(connection.get('SELECT max(version) AS version FROM conv_schema')?.['version'] ?? 0);
  // The first version is written in one transaction with the table.
  if (!(version >= 1))
    throw new Refusal('CORRUPT', `database ${connection.file}: the version of its schema is lost; restore a backup`);
  if (version > known) {
    throw new Refusal(
      'UNSUPPORTED',
      `database ${connection.file} has schema version ${version}, this version of the package knows ${known} and older; update the package`,
    );
  }
  return version;
}

/** The tables that the migrations make, by their names in SQL. */
const TABLES = new Set(['conv_schema', ...migrations.flatMap((step) => step.match(/(?<=CREATE TABLE )\w+/g) ?? [])]);

/**
 * Refuses `CORRUPT` a schema whose columns are not written in small letters. SQLite compares names without their case, so statements
 * still compile after a bit of a name has flipped; rows then come by the stored name, and what they hold would seem to be missing.
 */
export function checkColumnNames(connection: Connection): void {
  const names =
    'SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c ' +
    "WHERE t.type = 'table' AND c.name <> lower(c.name)";
  for (const { table, column } of connection.iterate(names)) {
    if (!TABLES.has(String(table).toLowerCase())) continue;
    const expected = String(column).toLowerCase();
    throw new Refusal(
      'CORRUPT',
      `database ${connection.file}: its schema is damaged: expected column ${expected} of ${String(table)}, found ${String(column)}; restore a backup`,
    );
  }
}
