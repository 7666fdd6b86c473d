import type { Head } from '../calls.ts';
import type { SqliteRow, SqliteValue } from '../driver.ts';
import { checked } from './commit-row.ts';
import type { Connection } from './connection.ts';
import { Refusal } from './refusal.ts';

const BY_KEY = 'SELECT id, key, epoch, next_seq, next_event FROM conversations WHERE key = ?';

/** Either index of ids; a damaged one must not make a conversation unknown, or one be taken for another. */
const INDEXES = [
  'SELECT key FROM conversations WHERE id = ?',
  'SELECT key FROM conversations INDEXED BY conversations_by_id WHERE id = ?',
] as const;

/** The conversation with an id. */
export function findConversation(connection: Connection, id: string): Head | undefined {
  const row = rowOf(connection, id);
  const lost = row ? undefined : connection.lostEnds.get(id);
  if (lost)
    throw new Refusal(
      'CORRUPT',
      `conversation ${id} had ${lost.seq} commits and is not in ${connection.file} any more`,
    );
  return toHead(connection, row);
}

/** The conversation with a key; keys are never used again, so that one made anew under the same id has another. */
export function headOf(connection: Connection, key: number): Head | undefined {
  return toHead(connection, connection.get(BY_KEY, key));
}

function rowOf(connection: Connection, id: string): SqliteRow | undefined {
  let found: SqliteRow | undefined;
  for (const index of INDEXES) {
    const key = connection.get(index, id)?.['key'];
    if (key === undefined) continue;
    const row = connection.get(BY_KEY, key);
    if (row?.['id'] === id) return row;
    found = { key };
  }
  if (!found) return undefined;
  throw new Refusal('CORRUPT', `conversation ${id}: its row ${String(found['key'])} in ${connection.file} is damaged`);
}

interface End {
  readonly seq: number;
  readonly event: number;
  readonly epoch: number;
}

/** The head in a row. Where the row says that a log ends before its last commit does, the row is damaged and the log tells. */
function toHead(connection: Connection, row: SqliteRow | undefined): Head | undefined {
  if (!row) return undefined;
  const key = Number(row['key']);
  const said = { seq: count(row['next_seq']), event: count(row['next_event']), epoch: count(row['epoch']) };
  const ends: End[] = [said];
  const last = lastEnd(connection, key, said);
  if (last) ends.unshift(last);
  const lost = connection.lostEnds.get(String(row['id']));
  if (lost) ends.push(lost);
  // The first of the furthest: what the last commit says of itself counts before what is said of it.
  const end = ends.reduce((furthest, one) => (one.seq > furthest.seq ? one : furthest));
  return { key, epoch: Math.max(...ends.map((one) => one.epoch)), seq: end.seq, event: end.event };
}

/** Where the own log of a conversation ends by its last commit. Where that does not agree with the row, the last that has its checksum. */
function lastEnd(connection: Connection, key: number, said: End): End | undefined {
  const columns = 'position & 4294967295 AS seq, epoch, first_event, events';
  const where = 'FROM commits WHERE position >= ? << 32 AND position < (? + 1) << 32 ORDER BY position DESC';
  const newest = connection.get(`SELECT ${columns} ${where} LIMIT 1`, key, key);
  const end = newest && endBehind(newest);
  if (!end || (end.seq === said.seq && end.event === said.event && end.epoch <= said.epoch)) return end;
  for (const row of connection.iterate(`SELECT ${columns}, crc, body ${where}`, key, key))
    if (!('reason' in checked(key, row))) return endBehind(row);
  return undefined;
}

/** A number as it was written; 0 for what damage has made of another kind. */
function count(value: SqliteValue | undefined): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function endBehind(commit: SqliteRow): End {
  const event = Number(commit['first_event']) + Number(commit['events']);
  return { seq: Number(commit['seq']) + 1, event, epoch: Number(commit['epoch']) };
}
