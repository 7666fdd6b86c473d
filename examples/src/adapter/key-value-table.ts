import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The backend: values under keys, in a table. Redis has the same commands: GET, SET, SET NX, SET IFEQ, DEL, SCAN. */
export class KeyValueTable {
  /** Counts the commands so far. */
  commands = 0;
  readonly #database: DatabaseSync;

  /** Opens the table in this folder, which other processes may have open too. */
  constructor(folder: string) {
    this.#database = new DatabaseSync(join(folder, 'values.db'));
    this.#database.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    this.#database.exec('CREATE TABLE IF NOT EXISTS pairs (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
  }

  get<Value>(key: string): Value | undefined {
    const row = this.#run('SELECT value FROM pairs WHERE key = ?', key)[0];
    return row && (JSON.parse(String(row['value'])) as Value);
  }

  set(key: string, value: unknown): void {
    this.#run('INSERT OR REPLACE INTO pairs VALUES (?, ?)', key, JSON.stringify(value));
  }

  /** Sets the value of a key that has none, in one atomic step. Returns `false` if it has one. */
  create(key: string, value: unknown): boolean {
    const made = this.#run('INSERT OR IGNORE INTO pairs VALUES (?, ?) RETURNING key', key, JSON.stringify(value));
    return made.length === 1;
  }

  /** Sets the value of a key whose value is `known`, `undefined` for none, in one atomic step. Returns `false` if it is another. */
  replace(key: string, known: unknown, value: unknown): boolean {
    if (known === undefined) return this.create(key, value);
    const [next, now] = [JSON.stringify(value), JSON.stringify(known)];
    return (
      this.#run('UPDATE pairs SET value = ? WHERE key = ? AND value = ? RETURNING key', next, key, now).length === 1
    );
  }

  remove(key: string): void {
    this.#run('DELETE FROM pairs WHERE key = ?', key);
  }

  /** Returns the keys with this ending, without it. */
  keys(ending: string): readonly string[] {
    const found = this.#run('SELECT key FROM pairs WHERE key LIKE ?', `%${ending}`);
    return found.map(({ key }) => String(key).slice(0, -ending.length));
  }

  close(): void {
    this.#database.close();
  }

  #run(statement: string, ...values: readonly string[]): readonly Record<string, unknown>[] {
    this.commands++;
    return this.#database.prepare(statement).all(...values);
  }
}
