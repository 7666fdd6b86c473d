import { isoNow } from '@conv/core/platform';
import { checked } from './commit-row.ts';
import type { Connection } from './connection.ts';
import { insertRow } from './new-conversation.ts';
import { ifReadable } from './refusal.ts';
import { transact } from './schema.ts';
import { OPEN_END, wholeSpansOf } from './spans.ts';

/** A log whose conversation has no row, and the part of the row that its commits tell. */
interface LostRow {
  readonly key: number;
  readonly commits: number;
  readonly id: string | undefined;
  readonly end: { readonly seq: number; readonly event: number; readonly epoch: number };
  /** True if the row was not deleted with its conversation: that would have removed this span. */
  readonly hasSpan: boolean;
}

/** A fault, and whether it was repaired. */
export interface Fault {
  readonly message: string;
  /** Id of the conversation that it is about, if that is known. */
  readonly id?: string | undefined;
  repaired: boolean;
}

/**
 * Keys of logs without a row that were not deleted. A deletion removes the span of the own log with the row, and makes all commits
 * garbage that no fork reads. One statement sees one moment, so a deletion at the same time is seen as a whole or not at all.
 */
const KEYS =
  'WITH RECURSIVE logs(log) AS (SELECT position >> 32 FROM (SELECT min(position) AS position FROM commits) ' +
  'UNION ALL SELECT (SELECT position >> 32 FROM commits WHERE position >= (log + 1) << 32 ORDER BY position LIMIT 1) ' +
  'FROM logs WHERE log IS NOT NULL) ' +
  'SELECT log FROM logs WHERE log IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversations WHERE key = log) ' +
  'AND (EXISTS (SELECT 1 FROM spans WHERE conversation = logs.log AND spans.log = logs.log) ' +
  'OR NOT EXISTS (SELECT 1 FROM garbage WHERE garbage.log = logs.log) ' +
  'AND (SELECT max(position) FROM commits WHERE position < (logs.log + 1) << 32) >= (logs.log << 32) + ' +
  'coalesce((SELECT max(end_seq) FROM spans WHERE spans.log = logs.log), 0)) LIMIT 100';

/** Finds conversations whose row is lost while their log is there. `repair` puts a row back that the log tells. */
export function lostRows(connection: Connection, repair: boolean): Fault[] {
  const keys = ifReadable(connection, () => Array.from(connection.iterate(KEYS), (row) => Number(row['log']))) ?? [];
  return keys.flatMap((key) => ifReadable(connection, () => faultOf(connection, key, repair)) ?? []);
}

function faultOf(connection: Connection, key: number, repair: boolean): Fault[] {
  const row = lostRow(connection, key);
  // A commit with a damaged number seems to be in a log of its own, where its checksum is wrong.
  if (row.commits === 0) return [];
  const who = row.id === undefined ? `the conversation with key ${key}` : `conversation ${row.id} (key ${key})`;
  const which = row.commits === 1 ? '1 commit of its log is' : `${row.commits} commits of its log are`;
  const fault = `the row of ${who} in conversations is not there, and ${which}`;
  const reason = obstacle(connection, row);
  if (reason !== undefined)
    return [{ message: `${fault}; ${reason}: take the row from a backup`, id: row.id, repaired: false }];
  if (!repair) return [{ message: `${fault}: check with repair puts it back`, id: row.id, repaired: false }];
  const repaired = transact(connection, () => putBack(connection, key));
  return [{ message: repaired ? `${fault}; the row was put back` : fault, repaired }];
}

/** Puts a row back, unless the conversation was deleted, created again or put back meanwhile. */
function putBack(connection: Connection, key: number): boolean {
  const row = lostRow(connection, key);
  const { id, end } = row;
  if (id === undefined || obstacle(connection, row) !== undefined) return false;
  // The next check compares the columns for lists with the log, and writes what the log tells.
  const summary = ['null', 'idle', isoNow(connection.platform), '{}', null, null] as const;
  // A higher epoch fences an owner that has held the conversation since before the loss.
  insertRow(connection, id, summary, { ...end, epoch: end.epoch + 1, key });
  return true;
}

/** Returns the reason why the row cannot be put back; `undefined` if it can. */
function obstacle(connection: Connection, { key, id, hasSpan }: LostRow): string | undefined {
  if (id === undefined) return 'its id cannot be told from these';
  const sources = ['conversations', 'conversations INDEXED BY conversations_by_id'];
  const isKnown = sources.some((source) => connection.get(`SELECT 1 FROM ${source} WHERE id = ?`, id));
  if (isKnown) return 'its id is in use';
  if (connection.get('SELECT 1 FROM conversations WHERE key = ?', key)) return 'its key is in use';
  return hasSpan ? undefined : 'the row that says where its log lies is not there either';
}

function lostRow(connection: Connection, key: number): LostRow {
  const sql =
    'SELECT position & 4294967295 AS seq, epoch, first_event, events, crc, body FROM commits ' +
    'WHERE position >= ? << 32 AND position < (? + 1) << 32 ORDER BY position';
  let commits = 0;
  let id: string | undefined;
  let end = { seq: 0, event: 0, epoch: 0 };
  for (const row of connection.iterate(sql, key, key)) {
    const found = checked(key, row);
    if ('reason' in found) continue;
    commits++;
    // A copy of another conversation names its own id last.
    id = idIn(found.body) ?? id;
    end = {
      seq: found.seq + 1,
      event: found.firstEvent + Number(row['events']),
      epoch: Math.max(end.epoch, found.epoch),
    };
  }
  const { whole } = wholeSpansOf(connection, key);
  return { key, commits, id, end, hasSpan: whole.some(({ log, endSeq }) => log === key && endSeq === OPEN_END) };
}

/** Returns the id that a commit gives to its conversation, as a dashed UUID. */
function idIn(body: string): string | undefined {
  const { patch } = JSON.parse(body) as { readonly patch?: { readonly set?: { readonly id?: unknown } } };
  const id = patch?.set?.id;
  if (typeof id !== 'string') return undefined;
  return /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/
    .exec(id.replaceAll('-', '').toLowerCase())
    ?.slice(1)
    .join('-');
}
