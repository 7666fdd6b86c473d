import { statSync } from 'node:fs';
import type { SqliteDatabase, SqliteDriverModule, SqliteRow, SqliteStatement, SqliteValue } from '../driver.ts';
import { removeMarks, type EndMarks } from './end-marks.ts';
import type { EndMark } from './end-mark.ts';
import { isBusy, Refusal } from './refusal.ts';

/** Thrown when `COMMIT` failed in a way that leaves open whether the transaction will be found after a crash. */
export class CommitUnsettled extends Error {}

const MISTAKEN = 1;
const FULL = 13;

/** One connection to the database, with its statements kept prepared. */
export class Connection {
  readonly file: string;
  readonly driver: SqliteDriverModule;
  /** How far each conversation was acknowledged; for connections that write. */
  ends: EndMarks | undefined;
  /** Ends that this connection may not put into the database: where a log went on that is shorter now, by conversation. */
  readonly lostEnds: Map<string, EndMark> = new Map();
  /** Copies of settings that were beside the database when it was opened, by conversation. */
  readonly kept: Map<number, string> = new Map();
  /** Up to which commit of a log every event was found by its id. */
  readonly indexedUpTo: Map<number, number> = new Map();
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #inode: bigint;

  constructor(file: string, driver: SqliteDriverModule, database: SqliteDatabase) {
    this.file = file;
    this.driver = driver;
    this.#database = database;
    this.#inode = statSync(file, { bigint: true }).ino;
  }

  /** Whether the file that this connection writes still has its name. */
  get isInPlace(): boolean {
    return statSync(this.file, { bigint: true, throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Runs statements. Refuses `CORRUPT` where they do not fit the schema. */
  exec(sql: string): void {
    this.#ours(() => this.#database.exec(sql));
  }

  /** Runs a statement and returns how many rows it changed. */
  run(sql: string, ...values: readonly SqliteValue[]): number {
    return this.#statement(sql).run(...values);
  }

  get(sql: string, ...values: readonly SqliteValue[]): SqliteRow | undefined {
    return this.#statement(sql).get(...values);
  }

  iterate(sql: string, ...values: readonly SqliteValue[]): Iterable<SqliteRow> {
    return this.#statement(sql).iterate(...values);
  }

  /**
   * Runs `action` in a transaction that holds the write lock from its beginning. When it returns, what it did is durable; when it
   * throws, nothing was done, unless it throws {@link CommitUnsettled}.
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
      // A lock that is not had or space that is not there end it before its last page is written.
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
      // Some errors of the disk have rolled it back already.
    }
  }

  /** Gives SQLite a text of ours: where it finds a mistake in it, the schema is not what it was. */
  #ours<Value>(give: () => Value): Value {
    try {
      return give();
    } catch (error) {
      if (this.driver.resultCode(error) !== MISTAKEN) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Refusal('CORRUPT', `database ${this.file}: its schema is damaged: ${reason}`, { cause: error });
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
