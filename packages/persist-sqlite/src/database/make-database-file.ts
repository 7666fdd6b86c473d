import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Platform } from '@conv/core/platform';
import { Refusal } from './refusal.ts';

/** Modes of new files and folders: for their user alone, because conversations are confidential. Existing files keep their mode. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Throws `UNAVAILABLE` unless the path is a file or nothing (false): SQLite would wait forever for a FIFO. */
export function assertDatabaseFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile())
    throw new Refusal(
      'UNAVAILABLE',
      `database ${file}: expected a file, found a folder, FIFO, socket or device; name a file`,
    );
  return found !== undefined;
}

/** True if a database was begun. A file without a byte is none: a reader leaves it as it is. Throws `CORRUPT` as {@link refuseCut}. */
export function isBegun(file: string): boolean {
  refuseCut(file);
  return sizeOf(file) > 0;
}

/** Throws `CORRUPT` if a write-ahead log has commits, and its database not a byte: SQLite would remove the log. */
export function refuseCut(file: string): void {
  const wal = `${file}-wal`;
  // Looked at first, because the file of a new database has bytes before its log has any.
  const hasLog = sizeOf(wal) > 0;
  if (!hasLog || sizeOf(file) > 0) return;
  throw new Refusal(
    'CORRUPT',
    `expected a database at ${file}, found no byte of it, and ${wal} has its newest commits: put the database back beside that file, or move that file elsewhere`,
  );
}

/** Returns the size of a file, and 0 if it is not there. Other things than files have the size 1, and are refused when they are opened. */
function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === false ? 1 : (found?.size ?? 0);
}

/** Makes the empty file of a database and the folders above it, each name durable. Files beside it get its mode. */
export function makeDatabaseFile(file: string, platform: Platform): void {
  if (assertDatabaseFile(file)) return;
  makeFolder(dirname(file));
  // Never open the file under its own name: closing it would drop the locks that another connection of this process may hold by
  // then.
  const temporary = `${file}.${platform.id()}.tmp`;
  closeSync(openSync(temporary, 'wx', FILE_MODE));
  try {
    linkSync(temporary, file);
  } catch (error) {
    // another process was faster, or the file system has no second names: then SQLite makes the file
    if (!['EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(codeOf(error))) throw error;
  } finally {
    unlinkSync(temporary);
  }
  syncFolder(dirname(file));
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  makeOne(folder);
  syncFolder(dirname(folder));
}

/** Makes one folder. Avoids `recursive`, because Node.js then retries forever in a folder that takes none, such as `/proc`. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, FOLDER_MODE);
  } catch (error) {
    // another process was faster
    if (!existsSync(folder)) throw error;
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
