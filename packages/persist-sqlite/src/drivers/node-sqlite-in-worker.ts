import type * as sqlite from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SqliteDriverModule, SqliteRow, SqliteStatement } from '../driver.ts';

/** Not there in a Node that was built without it: other drivers work there. */
const library: typeof sqlite | undefined = loadQuietly();

/** Opens the database with `node:sqlite`; see `SqliteDriverModule`. */
export const openDatabase: SqliteDriverModule['openDatabase'] = (file, { readOnly, immutable = false }) => {
  if (library === undefined) throw new Error('this Node has no node:sqlite; give the store the driver betterSqlite3');
  const database = new library.DatabaseSync(immutable ? `${pathToFileURL(file).href}?immutable=1` : file, { readOnly });
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql): SqliteStatement => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => Number(statement.run(...values).changes),
        get: (...values) => statement.get(...values) as SqliteRow | undefined,
        all: (...values) => statement.all(...values) as readonly SqliteRow[],
        iterate: (...values) => statement.iterate(...values) as Iterable<SqliteRow>,
      };
    },
    close: () => database.close(),
  };
};

/** Returns the result code of an error of `node:sqlite`; see `SqliteDriverModule`. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 1;
}

/**
 * Loads `node:sqlite` without its warning. Older versions of Node warn in every thread that the module is experimental, which
 * is no news to the user of a program. Nothing else of the program runs meanwhile.
 */
function loadQuietly(): typeof sqlite | undefined {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, undefined, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
