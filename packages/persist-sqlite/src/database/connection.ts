import { statSync } from 'node:fs';
import type { Platform } from '@conv/core/platform';
import type { SqliteDatabase, SqliteDriverModule, SqliteRow, SqliteStatement, SqliteValue } from '../driver.ts';
import { removeMarks, type EndMarks } from './end-marks.ts';
import type { EndMark } from './end-mark.ts';
import { unknownChange } from '../unknown-change.ts';
import { isBusy, Refusal } from './refusal.ts';

/** Tells that `COMMIT` failed in a way that leaves open whether the transaction is stored, or would come back after a crash. */
export class CommitUnsettled extends Error {}

/** Runs an action that makes or removes a conversation. Throws `OUTCOME_UNKNOWN` if its transaction may be stored. */
export function changeWhole<Value>(id: string, action: () => Value): Value {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof CommitUnsettled)) throw error;
    throw new Refusal('OUTCOME_UNKNOWN', unknownChange(id, error.message), { cause: error.cause });
  }
}

/** Returns the identity of the file that has a name now; `undefined` if there is none. */
export function placeOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

const MISTAKEN = 1;
const FULL = 13;

/** Connection to the database that keeps its statements prepared. */
export class Connection {
  readonly file: string;
  /** Identity of the file that is open, see {@link placeOf}. */
  readonly place: string;
  readonly driver: SqliteDriverModule;
  readonly platform: Platform;
  /** Marks of the acknowledged ends; only on connections that write. */
  ends: EndMarks | undefined;
  /** Acknowledged ends that the database has lost, by conversation; only on connections that must not write. */
  readonly lostEnds: Map<string, EndMark> = new Map();
  /** Copies of settings that were beside the database when it was opened, by conversation key. */
  readonly kept: Map<number, string> = new Map();
  /** For each log, the number of the commit up to which the index finds every event. */
  readonly indexedUpTo: Map<number, number> = new Map();
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(file: string, driver: SqliteDriverModule, database: SqliteDatabase, platform: Platform) {
    this.platform = platform;
    this.file = file;
    this.driver = driver;
    this.#database = database;
    this.place = placeOf(file) ?? 'nowhere';
  }

  /** True if the file that this connection writes still has its name. */
  get isInPlace(): boolean {
    return placeOf(this.file) === this.place;
  }

  /** Runs statements. Throws `CORRUPT` when they do not fit the schema. */
  exec(sql: string): void {
    this.#ours(() => this.#database.exec(sql));
  }

  /** Runs a statement and returns the number of rows that it changed. */
  run(sql: string, ...values: readonly SqliteValue[]): number {
    return this.#statement(sql).run(...values);
  }

  get(sql: string, ...values: readonly SqliteValue[]): SqliteRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: readonly SqliteValue[]): readonly SqliteRow[] {
    const statement = this.#statement(sql);
    return statement.all?.(...values) ?? Array.from(statement.iterate(...values));
  }

  iterate(sql: string, ...values: readonly SqliteValue[]): Iterable<SqliteRow> {
    return this.#statement(sql).iterate(...values);
  }

  /**
   * Runs `action` in a transaction that holds the write lock from its beginning. When it returns, the changes are durable. When
   * it throws, nothing was changed, unless it throws {@link CommitUnsettled}.
   */
  transaction<Value>(action: () => Value): Value {
    this.#statement('BEGIN IMMEDIATE').run();
    let value: Value;
    try {
      value = action();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    try {
      this.#statement('COMMIT').run();
      return value;
    } catch (error) {
      this.#rollBack();
      // SQLite ends a transaction without a lock or without space before its last page is written, so it cannot come back.
      if (isBusy(error, this.driver) || ((this.driver.resultCode(error) ?? 0) & 0xff) === FULL) throw error;
      throw new CommitUnsettled(`database ${this.file}: the end of a transaction failed`, { cause: error });
    }
  }

  close(): void {
    this.#statements.clear();
    this.ends?.close();
    this.#database.close();
    if (this.ends) removeMarks(this.file);
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // Some disk errors have rolled it back already.
    }
  }

  /** Passes one of our statements to SQLite. If SQLite rejects its text, the schema must be damaged: throws `CORRUPT`. */
  #ours<Value>(give: () => Value): Value {
    try {
      return give();
    } catch (error) {
      if (this.driver.resultCode(error) !== MISTAKEN) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Refusal('CORRUPT', `database ${this.file}: its schema is damaged: ${reason}; restore a backup`, {
        cause: error,
      });
    }
  }

  #statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#ours(() => this.#database.prepare(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
