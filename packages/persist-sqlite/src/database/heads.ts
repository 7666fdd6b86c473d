import type { Head } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';

const COLUMNS = 'SELECT key, epoch, next_seq, next_event FROM conversations';

/** The conversation with an id. */
export function findConversation(connection: Connection, id: string): Head | undefined {
  return toHead(connection, connection.get(`${COLUMNS} WHERE id = ?`, id));
}

/** The conversation with a key; keys are never used again, so that one made anew under the same id has another. */
export function headOf(connection: Connection, key: number): Head | undefined {
  return toHead(connection, connection.get(`${COLUMNS} WHERE key = ?`, key));
}

/** The head in a row. Where the row says that a log ends before its last commit does, the row is damaged and the log tells. */
function toHead(connection: Connection, row: SqliteRow | undefined): Head | undefined {
  if (!row) return undefined;
  const [key, epoch, seq] = [Number(row['key']), Number(row['epoch']), Number(row['next_seq'])];
  const sql =
    'SELECT position & 4294967295 AS seq, first_event + events AS event FROM commits ' +
    'WHERE position >= ? << 32 AND position < (? + 1) << 32 ORDER BY position DESC LIMIT 1';
  const last = connection.get(sql, key, key);
  const end = last && Number(last['seq']) + 1;
  if (end === undefined || end < seq) return { key, epoch, seq, event: Number(row['next_event']) };
  return { key, epoch, seq: end, event: Number(last?.['event']) };
}
