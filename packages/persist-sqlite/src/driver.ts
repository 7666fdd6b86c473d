import { moduleBeside } from './module-beside.ts';

/** Value that SQLite keeps in a column. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** Row, by column name. */
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** Prepared statement; its parameters are `?`, in order. */
export interface SqliteStatement {
  /** Runs the statement and returns the number of rows that it changed. */
  run(...values: readonly SqliteValue[]): number;
  /** Returns the first row; `undefined` if there is none. */
  get(...values: readonly SqliteValue[]): SqliteRow | undefined;
  /** Returns all rows at once, which is faster for a few; without it they are iterated. */
  all?(...values: readonly SqliteValue[]): readonly SqliteRow[];
  /** Yields all rows. Leaving the loop early ends the read transaction of the statement. */
  iterate(...values: readonly SqliteValue[]): Iterable<SqliteRow>;
}

/** Open database. All calls block, so the store makes them in threads of its own, except for first reads, short pages and single writes by {@link nodeSqlite}. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Compiles a statement, which stays usable until the database is closed. */
  prepare(sql: string): SqliteStatement;
  /** Closes the file and gives up its locks. */
  close(): void;
}

/** Exports that the module of a {@link SqliteDriver} must have. */
export interface SqliteDriverModule {
  /**
   * Opens the file, and makes it when it is missing and `readOnly` is `false`. `immutable`: no process can write it, so SQLite
   * need not make files beside it (its parameter of that name); a driver without such an option opens it in the normal way.
   */
  openDatabase(
    file: string,
    options: { readonly readOnly: boolean; readonly immutable?: boolean | undefined },
  ): SqliteDatabase;
  /** Returns SQLite's result code in an error that a call threw, extended if it is known; `undefined` for any other error. */
  resultCode(error: unknown): number | undefined;
}

/** Library that speaks to SQLite. The store names it by its module, because it is loaded in the store's threads. */
export interface SqliteDriver {
  /** Name for error messages. */
  readonly name: string;
  /** URL of an ES module that exports the members of {@link SqliteDriverModule}. */
  readonly module: string;
}

/** Uses the SQLite that comes with Node. */
export const nodeSqlite: SqliteDriver = {
  name: 'node:sqlite',
  module: moduleBeside(import.meta.url, './drivers/node-sqlite-in-worker'),
};

/** Uses the package `better-sqlite3`, which must be installed beside this one. */
export const betterSqlite3: SqliteDriver = {
  name: 'better-sqlite3',
  module: moduleBeside(import.meta.url, './drivers/better-sqlite3-in-worker'),
};
