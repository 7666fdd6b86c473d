import { createRequire } from 'node:module';
import type { SqliteDatabase, SqliteRow, SqliteStatement, SqliteValue } from '../driver.ts';

interface BetterStatement {
  readonly reader: boolean;
  run(...values: readonly SqliteValue[]): { readonly changes: number };
  get(...values: readonly SqliteValue[]): SqliteRow | undefined;
  all(...values: readonly SqliteValue[]): readonly SqliteRow[];
  iterate(...values: readonly SqliteValue[]): Iterable<SqliteRow>;
}

interface BetterDatabase {
  exec(sql: string): void;
  prepare(sql: string): BetterStatement;
  close(): void;
}

const Database = createRequire(import.meta.url)('better-sqlite3') as new (
  file: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean },
) => BetterDatabase;

export function openDatabase(file: string, { readOnly }: { readonly readOnly: boolean }): SqliteDatabase {
  const database = new Database(file, { readonly: readOnly, fileMustExist: readOnly });
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql): SqliteStatement => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(...values).changes,
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        iterate: (...values) => statement.iterate(...values),
      };
    },
    close: () => database.close(),
  };
}

/** Numbers of the result codes that the library names. Extended codes are cut to their primary code. */
const codes: Readonly<Record<string, number>> = {
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_TOOBIG: 18,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
};

export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  if (!error.code.startsWith('SQLITE_')) return undefined;
  return codes[error.code.split('_', 2).join('_')] ?? 1;
}
