import type { Head } from '../calls.ts';
import type { SqliteRow, SqliteValue } from '../driver.ts';
import { checked } from './commit-row.ts';
import type { Connection } from './connection.ts';
import { provedEnd } from './proved-end.ts';
import { Refusal } from './refusal.ts';

const BY_KEY = 'SELECT id, key, epoch, next_seq, next_event, kept FROM conversations WHERE key = ?';

/** Both indexes of ids. A damaged index must not hide a conversation, nor return another one. */
const INDEXES = [
  'SELECT key FROM conversations WHERE id = ?',
  'SELECT key FROM conversations INDEXED BY conversations_by_id WHERE id = ?',
] as const;

/** Returns the conversation with an id; `undefined` if there is none. Throws `CORRUPT` if it was acknowledged and is lost. */
export function findConversation(connection: Connection, id: string): Head | undefined {
  const row = rowOf(connection, id);
  const lost = row ? undefined : connection.lostEnds.get(id);
  if (lost)
    throw new Refusal(
      'CORRUPT',
      `conversation ${id} had ${lost.seq} commits and is not in ${connection.file} any more; restore a backup`,
    );
  return toHead(connection, row);
}

/** Returns the conversation with a key. Keys are never used again, so a conversation created again under an id has another key. */
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
  throw new Refusal(
    'CORRUPT',
    `conversation ${id}: its row ${String(found['key'])} in ${connection.file} is damaged: check it with repair`,
  );
}

interface End {
  readonly seq: number;
  readonly event: number;
  readonly epoch: number;
}

/**
 * Returns the head in a row. If the last commit ends after the end in the row, the row is damaged and the log tells. If another record
 * proves more commits than both, these are lost.
 */
function toHead(connection: Connection, row: SqliteRow | undefined): Head | undefined {
  if (!row) return undefined;
  const key = Number(row['key']);
  const said = { seq: count(row['next_seq']), event: count(row['next_event']), epoch: count(row['epoch']) };
  const ends: End[] = [said];
  const last = lastEnd(connection, key, said);
  if (last) ends.unshift(last);
  const lost = connection.lostEnds.get(String(row['id']));
  if (lost) ends.push(lost);
  // Among equal ends the first wins: the last commit's own numbers count before other records of it.
  const known = ends.reduce((furthest, one) => (one.seq > furthest.seq ? one : furthest));
  const proved = provedEnd(connection, row, known.seq);
  const end = proved ? { seq: proved.seq, event: Math.max(proved.event, known.event) } : known;
  return { key, epoch: Math.max(...ends.map((one) => one.epoch)), seq: end.seq, event: end.event };
}

/** Returns the end of the own log by its last commit. If that disagrees with the row, uses the last commit with a right checksum. */
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

/** Returns a stored number; 0 for a value that damage has changed to something else than a natural number. */
function count(value: SqliteValue | undefined): number {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function endBehind(commit: SqliteRow): End {
  const event = Number(commit['first_event']) + Number(commit['events']);
  return { seq: Number(commit['seq']) + 1, event, epoch: Number(commit['epoch']) };
}
