import { DatabaseSync } from 'node:sqlite';

/** Works on a database like a program that knows nothing of stores. */
export function rawly<Value>(file: string, action: (database: DatabaseSync) => Value): Value {
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    return action(database);
  } finally {
    database.close();
  }
}

/** Returns the number of rows of a table. */
export function countOf(file: string, table: string): number {
  return rawly(file, (database) => Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']));
}
