import { moduleBeside } from './module-beside.ts';

/** What SQLite keeps in a column. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** A row, by column name. */
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** A prepared statement; its parameters are `?`, in order. */
export interface SqliteStatement {
  /** Runs it and returns how many rows it changed. */
  run(...values: readonly SqliteValue[]): number;
  /** The first row. */
  get(...values: readonly SqliteValue[]): SqliteRow | undefined;
  /** All rows. Leaving the loop early ends the statement's read transaction. */
  iterate(...values: readonly SqliteValue[]): Iterable<SqliteRow>;
}

/** An open database. All calls block; the store makes them in threads of its own. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Compiles a statement, which stays usable until the database is closed. */
  prepare(sql: string): SqliteStatement;
  /** Gives up the file and its locks. */
  close(): void;
}

/** What the module of a {@link SqliteDriver} exports. */
export interface SqliteDriverModule {
  /** Opens the file, making it when it is missing and `readOnly` is `false`. */
  openDatabase(file: string, options: { readonly readOnly: boolean }): SqliteDatabase;
  /** SQLite's result code in an error that a call threw, extended where it is known; `undefined` for any other error. */
  resultCode(error: unknown): number | undefined;
}

/** Which library speaks to SQLite. It is loaded in the store's threads, so it is named by a module and not handed over. */
export interface SqliteDriver {
  /** For error messages. */
  readonly name: string;
  /** URL of an ES module that exports the members of {@link SqliteDriverModule}. */
  readonly module: string;
}

/** SQLite as it comes with Node. */
export const nodeSqlite: SqliteDriver = {
  name: 'node:sqlite',
  module: moduleBeside(import.meta.url, './drivers/node-sqlite-in-worker'),
};

/** The package `better-sqlite3`, which has to be installed beside this one. */
export const betterSqlite3: SqliteDriver = {
  name: 'better-sqlite3',
  module: moduleBeside(import.meta.url, './drivers/better-sqlite3-in-worker'),
};
