import { StoreError } from '@conv/core/store';
import type { Query } from '../postgres-pool.ts';
import { migrations as released, type Migration } from './migrations.ts';

/** Schema and the steps that make it. */
export interface SchemaPlan {
  /** Name without quotes, which needs none. */
  readonly schema: string;
  /** Steps of the schema. Default: the steps of this version of the package. */
  readonly migrations?: readonly Migration[];
}

/**
 * True if the schema has the version of this package. Rejects `CORRUPT` if its version is lost. Rejects `UNSUPPORTED` for a newer
 * schema, for a server with `fsync = off`, which acknowledges before commits are durable, and for a database not encoded in UTF8.
 */
export async function isCurrent(query: Query, { schema, migrations = released }: SchemaPlan): Promise<boolean> {
  const [server] = await query(
    `SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
       to_regclass($1)::text AS versions`,
    [`${schema}.schema_versions`],
  );
  if (server?.['fsync'] === 'off')
    throw new StoreError(
      'UNSUPPORTED',
      'expected fsync = on, found off: this server would lose acknowledged commits; turn fsync on',
    );
  if (server?.['encoding'] !== 'UTF8')
    throw new StoreError(
      'UNSUPPORTED',
      `expected a database encoded in UTF8, found ${String(server?.['encoding'])}; create one with ENCODING 'UTF8'`,
    );
  if (typeof server['versions'] !== 'string') return false;
  const version = await versionOf(query, schema, migrations.length);
  // The first version is written in one transaction with the table.
  if (version < 1)
    throw new StoreError(
      'CORRUPT',
      `schema ${schema}: its version is lost, schema_versions has no rows; restore a backup`,
    );
  return version === migrations.length;
}

/**
 * Brings the schema to this version, all steps or none. `query` runs in one transaction. An advisory lock lets one process
 * migrate; others that wait for it find the work done.
 */
export async function migrate(query: Query, { schema, migrations = released }: SchemaPlan): Promise<void> {
  await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`@conv/persist-postgres ${schema}`]);
  // `CREATE SCHEMA IF NOT EXISTS` needs a privilege even when the schema exists, so look first.
  const [there] = await query('SELECT to_regnamespace($1)::text AS schema', [schema]);
  if (typeof there?.['schema'] !== 'string') await query(`CREATE SCHEMA "${schema}"`, []);
  const [versions] = await query('SELECT to_regclass($1)::text AS versions', [`${schema}.schema_versions`]);
  if (typeof versions?.['versions'] !== 'string') {
    await query(
      `CREATE TABLE "${schema}".schema_versions (
         version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
      [],
    );
  }
  const version = await versionOf(query, schema, migrations.length);
  for (const [at, step] of migrations.entries()) {
    if (at < version) continue;
    await query(step(`"${schema}"`), []);
    await query(`INSERT INTO "${schema}".schema_versions (version) VALUES ($1)`, [at + 1]);
  }
}

async function versionOf(query: Query, schema: string, known: number): Promise<number> {
  const [row] = await query(`SELECT coalesce(max(version), 0) AS version FROM "${schema}".schema_versions`, []);
  const version = Number(row?.['version']);
  if (version > known) {
    throw new StoreError(
      'UNSUPPORTED',
      `schema ${schema} has version ${version}, this version of the package knows ${known} and older; update the package`,
    );
  }
  return version;
}
