import { checkOptionNames, type Json, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { isStoreError } from '@conv/core/store';
import { checkedText } from '@conv/store-kit/system';
import {
  checkEntryName,
  checkKind,
  conflict,
  entryText,
  type Expected,
  type ListedPage,
  listRows,
  type EntryQuery,
  type Registry,
  type RegistryEntry,
  rowEntry,
  type StoredRow,
  toRegistryError,
} from '@conv/store-kit/registry';
import { Pool } from 'pg';

import { checkConnectionString } from '../check-connection-string.ts';
import { Database } from '../database.ts';
import { DatabaseFailure } from '../from-postgres-error.ts';
import type { PostgresPool, Query, Row } from '../postgres-pool.ts';

/** Options of a {@link PostgresRegistry}. */
export interface PostgresRegistryOptions {
  /** Connection string, such as `postgres://user:password@host:5432/database`. Or give a pool. */
  readonly connectionString?: string;
  /** Pool of the package `pg`. The registry does not end it. */
  readonly pool?: PostgresPool;
  /** Schema that holds the table. Made when it is missing. Default `conv_registry`. */
  readonly schema?: string;
  /** Times, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<PostgresRegistryOptions> = {
  connectionString: true,
  pool: true,
  schema: true,
  platform: true,
};

const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/;

const createEntries = (s: string): string => `
CREATE TABLE ${s}.entries (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  version uuid NOT NULL,
  PRIMARY KEY (kind, name)
);`;

/** A registry in a PostgreSQL database, for any number of servers. Without its schema it is empty; the first change makes the schema. */
export class PostgresRegistry implements Registry, AsyncDisposable {
  readonly #database: Database;
  /** Makes no schema: a server that only reads keys needs no right to. */
  readonly #reading: Database;
  readonly #ownPool: PostgresPool | undefined;

  constructor(options: PostgresRegistryOptions) {
    checkOptionNames('new PostgresRegistry', options, NAMES);
    const { connectionString, pool, schema = 'conv_registry', platform = systemPlatform } = options;
    if ((pool === undefined) === (connectionString === undefined))
      throw new TypeError('new PostgresRegistry: expected either pool or connectionString');
    if (connectionString !== undefined)
      checkConnectionString('new PostgresRegistry: connectionString', connectionString);
    if (!SCHEMA.test(schema)) throw new TypeError(`schema: expected a name that matches ${SCHEMA.source}`);
    this.#ownPool = connectionString === undefined ? undefined : new Pool({ connectionString });
    this.#ownPool?.on('error', () => {});
    const parts = {
      platform,
      pool: (pool ?? this.#ownPool) as PostgresPool,
      schema,
      migrations: [createEntries],
      requestTimeout: 10_000,
      answerTimeout: 30_000,
    };
    this.#database = new Database({ ...parts, migrate: true });
    this.#reading = new Database({ ...parts, migrate: false });
  }

  async get(kind: string, name: string): Promise<RegistryEntry | undefined> {
    checkEntryName(kind, name);
    const select = 'SELECT name, value, version::text FROM @.entries WHERE kind = $1 AND name = $2';
    const [row] = await this.#attempt(kind, name, () => this.#select(select, [kind, name]));
    return row && rowEntry(kind, toStored(row));
  }

  async put(kind: string, name: string, value: Json, { expected }: Expected): Promise<string> {
    checkEntryName(kind, name);
    const text = checkedText(entryText(kind, name, value));
    const version = this.#database.platform.id();
    const insert = 'INSERT INTO @.entries (kind, name, value, version) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
    const update = 'UPDATE @.entries SET value = $3, version = $4 WHERE kind = $1 AND name = $2 AND version::text = $5';
    await this.#change(kind, name, async (query) => {
      if (expected === null) await query(insert, [kind, name, text, version]);
      else await query(update, [kind, name, text, version, expected]);
      const found = await versionOf(query, kind, name);
      // also if an earlier attempt, whose answer was lost, has stored it
      if (found !== version) throw conflict(kind, name, { expected, found });
    });
    return version;
  }

  async delete(kind: string, name: string, { expected }: { readonly expected: string }): Promise<void> {
    checkEntryName(kind, name);
    const remove = 'DELETE FROM @.entries WHERE kind = $1 AND name = $2 AND version::text = $3 RETURNING name';
    let attempts = 0;
    await this.#change(kind, name, async (query) => {
      attempts++;
      if ((await query(remove, [kind, name, expected])).length > 0) return;
      const found = await versionOf(query, kind, name);
      // an earlier attempt, whose answer was lost, has removed it
      if (found === null && attempts > 1) return;
      throw conflict(kind, name, { expected, found });
    });
  }

  list(kind: string, query: EntryQuery = {}): Promise<ListedPage> {
    const select = `SELECT name, value, version::text FROM @.entries
      WHERE kind = $1 AND starts_with(name, $2) AND name > $3 COLLATE "C" ORDER BY name LIMIT $4`;
    return listRows(kind, query, async ({ prefix, after, limit }) => {
      const rows = await this.#attempt(kind, '', () => this.#select(select, [kind, prefix, after, limit]));
      return rows.map(toStored);
    });
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    checkKind(kind);
    const select = 'SELECT name, version::text FROM @.entries WHERE kind = $1';
    const rows = await this.#attempt(kind, '', () => this.#select(select, [kind]));
    return new Map(rows.map((row) => [String(row['name']), String(row['version'])]));
  }

  /** Ends its own connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ownPool?.end();
  }

  async #select(text: string, values: unknown[]): Promise<readonly Row[]> {
    try {
      return await this.#reading.run(text, values);
    } catch (error) {
      if (isStoreError(error, 'UNSUPPORTED')) return [];
      throw error;
    }
  }

  async #change(kind: string, name: string, action: (query: Query) => Promise<void>): Promise<void> {
    await this.#attempt(kind, name, () =>
      this.#database.transaction(async (query) => {
        // a database may be set to acknowledge before commits are durable
        await query('SET LOCAL synchronous_commit = on', []);
        await action(query);
      }),
    );
  }

  async #attempt<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toRegistryError(kind, name, error instanceof DatabaseFailure ? error.error : error);
    }
  }
}

async function versionOf(query: Query, kind: string, name: string): Promise<string | null> {
  const [row] = await query('SELECT version::text FROM @.entries WHERE kind = $1 AND name = $2', [kind, name]);
  return row === undefined ? null : String(row['version']);
}

function toStored(row: Row): StoredRow {
  return { name: String(row['name']), value: String(row['value']), version: String(row['version']) };
}
