import { existsSync } from 'node:fs';
import type { Platform } from '@conv/core/platform';
import type { SqliteDriverModule } from '../driver.ts';
import { Connection } from './connection.ts';
import { EndMarks } from './end-marks.ts';
import { isBusy, Refusal } from './refusal.ts';
import { checkColumnNames, migrate, versionOf } from './schema.ts';
import { generationOf, lookBeside, settleEnds } from './settle-ends.ts';

export interface ConnectionOptions {
  readonly file: string;
  /** Milliseconds to wait for the lock of another connection. */
  readonly busyTimeout: number;
  readonly readOnly: boolean;
}

/**
 * Opens a database for writing, and makes it when it is missing, or opens it for reading alone. Brings its schema to the newest
 * version. Compares it with the marks beside it, read before SQLite opens the file (docs/decisions/0032-sqlite-end-marks.md).
 */
export function openConnection(driver: SqliteDriverModule, options: ConnectionOptions, platform: Platform): Connection {
  const { file, busyTimeout, readOnly } = options;
  const beside = existsSync(file) ? lookBeside(file) : undefined;
  const database = driver.openDatabase(file, { readOnly });
  try {
    const connection = new Connection(file, driver, database, platform);
    connection.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
    if (readOnly) {
      if (versionOf(connection) === 0) throw new Refusal('NOT_FOUND', `database ${file} is empty`);
      checkColumnNames(connection);
      settleEnds(connection, beside, true);
      return connection;
    }
    // Refuse a foreign or newer database before changing its journal mode.
    versionOf(connection);
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

/** Switches to the write-ahead log. SQLite does not wait here for the lock of another process that does the same. */
function useWal(connection: Connection, busyTimeout: number): void {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const until = connection.platform.monotonic() + busyTimeout;
  for (;;) {
    try {
      const mode = connection.get('PRAGMA journal_mode = WAL')?.['journal_mode'];
      if (mode === 'wal') return;
      throw new Refusal(
        'UNSUPPORTED',
        `database ${connection.file} cannot have a write-ahead log here, but ${String(mode)}`,
      );
    } catch (error) {
      if (!isBusy(error, connection.driver) || connection.platform.monotonic() > until) throw error;
      Atomics.wait(bell, 0, 0, 5);
    }
  }
}
