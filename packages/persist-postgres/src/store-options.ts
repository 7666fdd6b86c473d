import { checkOptionNames, describeValue, type OptionNames } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { ConnectionOptions } from 'node:tls';
import { checkMilliseconds } from '@conv/store-kit';
import { checkConnectionString } from './check-connection-string.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** Settings of a store that do not depend on the place of its database. */
export interface PostgresStoreSettings {
  /** Schema that holds the tables: lower-case letters, digits and `_`, at most 48. Made when it is missing. Default `conv`. */
  readonly schema?: string;
  /** True if a missing or older schema is brought to this version on first use. Default `true`. */
  readonly migrate?: boolean;
  /**
   * Connection string for listening to changes, on a connection of its own, or `false` to listen nowhere. Default: the place of
   * the store's other connections. Behind a pooler in transaction mode, which does not pass notifications on, give the database's
   * own address; without it the store looks for changes at intervals.
   */
  readonly listen?: string | false;
  /** Milliseconds between looks for changes while a conversation is watched and no messages come through. Default 250. */
  readonly pollInterval?: number;
  /** Milliseconds without a heartbeat after which others may take over from an owner. At least 100. Default 15,000. */
  readonly leaseTimeout?: number;
  /** Milliseconds that an append is tried again while the database is away, before it rejects. Default 10,000. */
  readonly requestTimeout?: number;
  /** Milliseconds after which a statement without an answer counts as lost. Default 30,000. */
  readonly answerTimeout?: number;
  /** Gives times, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

/** Options of a `PostgresStore`: settings, and a pool of the caller's or a connection string for a pool of its own. */
export type PostgresStoreOptions = PostgresStoreSettings &
  (
    | {
        /** Pool of the package `pg`, with its own way to connect. The store does not end it. */
        readonly pool: PostgresPool;
        readonly connectionString?: undefined;
        readonly ssl?: undefined;
      }
    | {
        readonly pool?: undefined;
        /** Connection string, such as `postgres://user:password@host:5432/database?sslmode=verify-full`. */
        readonly connectionString: string;
        /** Options of TLS for `pg`. Default: those of the connection string. */
        readonly ssl?: boolean | ConnectionOptions;
      }
  );

const NAMES: OptionNames<PostgresStoreOptions> = {
  schema: true,
  migrate: true,
  listen: true,
  pollInterval: true,
  leaseTimeout: true,
  requestTimeout: true,
  answerTimeout: true,
  platform: true,
  pool: true,
  connectionString: true,
  ssl: true,
};

const SCHEMA = /^[a-z_][a-z0-9_]{0,47}$/;

/** Throws `TypeError` for impossible options. */
export function assertOptions(options: PostgresStoreOptions): void {
  checkOptionNames('new PostgresStore', options, NAMES);
  const { pool, connectionString, listen, schema = 'conv' } = options;
  if ((pool === undefined) === (connectionString === undefined))
    throw new TypeError(
      `new PostgresStore: expected either pool or connectionString, such as 'postgres://user:password@host:5432/database', found ${pool === undefined ? 'neither' : 'both'}`,
    );
  if (connectionString !== undefined) checkConnectionString('new PostgresStore: connectionString', connectionString);
  if (typeof listen === 'string') checkConnectionString('new PostgresStore: listen', listen);
  if (pool !== undefined && typeof pool?.connect !== 'function')
    throw new TypeError(`new PostgresStore: pool: expected a Pool of the package pg, found ${describeValue(pool)}`);
  if (!SCHEMA.test(schema))
    throw new TypeError(`schema: expected a name that matches ${SCHEMA.source}, found ${JSON.stringify(schema)}`);
  const minima = { leaseTimeout: 100, requestTimeout: 0, answerTimeout: 1, pollInterval: 1 };
  checkMilliseconds<PostgresStoreSettings>('new PostgresStore', options, minima);
}
