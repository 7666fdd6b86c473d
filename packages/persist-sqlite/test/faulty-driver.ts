import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { SqliteDatabase, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from '../src/index.ts';
import { openDatabase as open } from '../src/drivers/node-sqlite-in-worker.ts';
import { moduleBeside } from '../src/module-beside.ts';

/**
 * Driver of Node with faults, set by the parameters of its URL. `pages` limits the size of the database, and `deny` refuses all
 * writes. `folder` has a file with the name of the fault that the next COMMIT meets, and counts the commits. While it holds a
 * file `hold`, opening a database makes a file `held` and waits.
 */
const query = new URL(import.meta.url).searchParams;
const folder = query.get('folder') ?? '';

/**
 * Fault of a COMMIT. `dead`: this COMMIT and every transaction after it. `placeLost`: the COMMIT succeeds, and then no file can be
 * looked up in the folder, which is moved beside itself. `unread`: the COMMIT succeeds, and the next look for a conversation fails.
 */
export type Fault = 'fails' | 'answerLost' | 'endsBefore' | 'endsAfter' | 'dead' | 'placeLost' | 'unread';

/** Returns the driver with faults, which are set by files in a folder. */
export function faultyDriver(options: {
  readonly folder?: string;
  readonly pages?: number;
  readonly deny?: true;
}): SqliteDriver {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) parameters.set(name, String(value));
  const { href } = new URL('faulty-driver.ts', import.meta.url);
  return { name: 'faulty', module: `${moduleBeside(href, './faulty-driver')}?${parameters.toString()}` };
}

class DiskError extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
  readonly errcode = 1034;
}

let dead = false;
let unread = false;

/** Opens the database with the faults; see `SqliteDriverModule`. */
export function openDatabase(file: string, options: { readonly readOnly: boolean }): SqliteDatabase {
  hold();
  const database = open(file, query.has('deny') ? { readOnly: true } : options);
  const pages = query.get('pages');
  if (pages) database.exec(`PRAGMA max_page_count = ${pages}`);
  return {
    ...database,
    prepare: (sql): SqliteStatement => {
      const statement = database.prepare(sql);
      if (sql === 'BEGIN IMMEDIATE') return { ...statement, run: () => begin(statement) };
      if (sql === 'COMMIT') return { ...statement, run: () => commit(statement) };
      if (sql.startsWith('SELECT key FROM conversations'))
        return { ...statement, get: (...ids) => look(statement, ids) };
      return statement;
    },
  };
}

export { resultCode } from '../src/drivers/node-sqlite-in-worker.ts';

function hold(): void {
  const wait = new Int32Array(new SharedArrayBuffer(4));
  while (folder && existsSync(`${folder}/hold`)) {
    writeFileSync(`${folder}/held`, '');
    Atomics.wait(wait, 0, 0, 5);
  }
}

function begin(statement: SqliteStatement): number {
  if (dead) throw new DiskError('disk I/O error');
  return statement.run();
}

function look(statement: SqliteStatement, ids: readonly SqliteValue[]): SqliteRow | undefined {
  if (!unread) return statement.get(...ids);
  unread = false;
  throw new DiskError('disk I/O error');
}

function commit(statement: SqliteStatement): number {
  const fault = nextFault();
  if (fault === 'endsBefore') return endThread();
  if (fault === 'dead') dead = true;
  if (fault === 'fails' || fault === 'dead') throw new DiskError('disk I/O error');
  const changes = statement.run();
  if (folder) appendFileSync(`${folder}/commits`, '.');
  if (fault === 'answerLost') throw new DiskError('disk I/O error');
  if (fault === 'endsAfter') return endThread();
  if (fault === 'unread') unread = true;
  if (fault === 'placeLost') losePlace();
  return changes;
}

/** Puts a link to itself in the place of the folder: looking a file up in it fails, and not because the file is missing. */
function losePlace(): void {
  renameSync(folder, `${folder}.moved`);
  symlinkSync(folder, folder);
}

/** Undoes the fault `placeLost`. */
export function findPlace(moved: string): void {
  rmSync(moved);
  renameSync(`${moved}.moved`, moved);
}

/** Ends the thread; inside a thread, `process.exit` leaves the process running. */
function endThread(): never {
  return process.exit(1);
}

function nextFault(): Fault | undefined {
  const file = `${folder}/fault`;
  if (!folder || !existsSync(file)) return undefined;
  const fault = readFileSync(file, 'utf8') as Fault;
  rmSync(file);
  return fault;
}
