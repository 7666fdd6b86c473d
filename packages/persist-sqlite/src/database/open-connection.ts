import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { timers, type Platform } from '@conv/core/platform';
import type { SqliteDatabase, SqliteDriverModule } from '../driver.ts';
import { Connection } from './connection.ts';
import { EndMarks } from './end-marks.ts';
import { migrations } from './migrations.ts';
import { isBusy, Refusal, replaced } from './refusal.ts';
import { checkColumnNames, migrate, versionOf } from './schema.ts';
import { generationOf, lookBeside, settleEnds } from './settle-ends.ts';

export interface ConnectionOptions {
  readonly file: string;
  /** Milliseconds to wait for the lock of another connection. */
  readonly busyTimeout: number;
  readonly readOnly: boolean;
  /** False to throw where the schema is not the newest, because bringing it there may take long. Default true. */
  readonly migrates?: boolean;
  /** True beside a connection of this process that has compared the database with its marks. Default false. */
  readonly attached?: boolean;
  /** Identity of the only file that may be opened. Default: whichever has the name. */
  readonly place?: string | undefined;
}

/**
 * Opens a database for writing, and makes it when it is missing, or opens it for reading alone, as it does on a file system that
 * takes no writes: `DENIED` is then what each write rejects with. Brings its schema to the newest version. Compares it with the marks beside it, read before SQLite opens the file (docs/decisions/0032-sqlite-end-marks.md).
 */
export function openConnection(driver: SqliteDriverModule, options: ConnectionOptions, platform: Platform): Connection {
  const { file, busyTimeout } = options;
  const beside = !options.attached && existsSync(file) ? lookBeside(file) : undefined;
  const isFrozen = isOnFrozenDisk(file);
  const readOnly = options.readOnly || isFrozen;
  const database = isFrozen ? openFrozen(driver, file) : driver.openDatabase(file, { readOnly });
  try {
    const connection = new Connection(file, driver, database, platform);
    if (options.place !== undefined && connection.place !== options.place) throw replaced(file);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    if (readOnly) {
      if (versionOf(connection) === 0)
        throw new Refusal('NOT_FOUND', `database ${file} is empty; open it once for writing`);
      checkColumnNames(connection);
      settleEnds(connection, beside, true);
      return connection;
    }
    // Refuse a foreign or newer database before changing its journal mode.
    const version = versionOf(connection);
    if (options.migrates === false && version < migrations.length)
      throw new Error(`expected schema version ${migrations.length} in ${file}, found ${version}`);
    useWal(connection, busyTimeout);
    connection.exec('PRAGMA synchronous = FULL');
    // Matters only on macOS, where a plain flush does not reach the medium.
    connection.exec('PRAGMA fullfsync = ON');
    connection.exec('PRAGMA checkpoint_fullfsync = ON');
    connection.exec('PRAGMA journal_size_limit = 67108864');
    migrate(connection);
    checkColumnNames(connection);
    settleEnds(connection, beside, false);
    connection.ends = new EndMarks(file, generationOf(connection));
    return connection;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** True for a file on a file system that is mounted for reading alone, as after an error of its disk. */
function isOnFrozenDisk(file: string): boolean {
  try {
    if (existsSync(file)) accessSync(dirname(file), constants.W_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

/**
 * Opens a database on a file system that takes no writes. SQLite needs files beside one with a write-ahead log, and cannot make
 * them there, so it is told that nothing changes; it then reads no such log, which has to be empty.
 */
function openFrozen(driver: SqliteDriverModule, file: string): SqliteDatabase {
  const immutable = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  let database: SqliteDatabase | undefined;
  try {
    database = driver.openDatabase(file, { readOnly: true, immutable });
    database.prepare('PRAGMA schema_version').get();
    return database;
  } catch (error) {
    database?.close();
    throw new Refusal(
      'DENIED',
      `database ${file} is on a file system that takes no writes, and SQLite cannot read it there: copy it with the files beside it (${file}-*) to another, and open that`,
      { cause: error },
    );
  }
}

/** Switches to the write-ahead log. SQLite does not wait here for the lock of another process that does the same. */
function useWal(connection: Connection, busyTimeout: number): void {
  const until = connection.platform.monotonic() + busyTimeout;
  for (;;) {
    try {
      const mode = connection.get('PRAGMA journal_mode = WAL')?.['journal_mode'];
      if (mode === 'wal') return;
      throw new Refusal(
        'UNSUPPORTED',
        `database ${connection.file} cannot have a write-ahead log here, found the mode ${String(mode)}; put it on a local disk`,
      );
    } catch (error) {
      if (!isBusy(error, connection.driver) || connection.platform.monotonic() > until) throw error;
      timers.block(5);
    }
  }
}
