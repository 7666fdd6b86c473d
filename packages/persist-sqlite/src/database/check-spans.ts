import type { Finding } from '@conv/core/store';
import type { Connection } from './connection.ts';
import { transact } from './schema.ts';
import { insertSpan, OPEN_END, wholeSpansOf } from './spans.ts';

/**
 * Checks the rows that record the logs of a conversation. `repair` rebuilds the row of its own log from its key and its first
 * commit. Only these rows tell which commits of other logs a fork began with, so a fork loses the commits of a damaged row.
 */
export function checkSpans(connection: Connection, key: number, repair: boolean): readonly Finding[] {
  const { hasOwn, damaged } = ownSpan(connection, key);
  if (hasOwn && damaged.length === 0) return [];
  if (repair) transact(connection, () => mendOwnSpan(connection, key));
  const message = hasOwn
    ? 'a row that says which commits of its source a fork began with is damaged'
    : 'the row that says where the own log of the conversation lies is damaged or lost';
  return [{ part: 'spans', severity: hasOwn ? 'lost' : 'damaged', message, repaired: repair }];
}

/** Makes the row of the own log of a conversation if it is missing or damaged, and removes damaged rows. Runs in a transaction. */
export function mendOwnSpan(connection: Connection, key: number): void {
  const { hasOwn, damaged } = ownSpan(connection, key);
  for (const first of damaged) connection.run('DELETE FROM spans WHERE conversation = ? AND first_seq = ?', key, first);
  const firstSeq = firstOf(connection, key);
  if (!hasOwn) insertSpan(connection, key, { log: key, firstSeq, endSeq: OPEN_END, endEvent: OPEN_END });
}

function ownSpan(
  connection: Connection,
  key: number,
): { readonly hasOwn: boolean; readonly damaged: readonly number[] } {
  const { whole, damaged } = wholeSpansOf(connection, key);
  return { hasOwn: whole.some(({ log, endSeq }) => log === key && endSeq === OPEN_END), damaged };
}

/** Returns the number of the first commit in a conversation's own log. In a fork it follows the commits of the source. */
function firstOf(connection: Connection, key: number): number {
  const sql =
    'SELECT position & 4294967295 AS seq FROM commits WHERE position >= ? << 32 AND position < (? + 1) << 32 ' +
    'ORDER BY position LIMIT 1';
  return Number(connection.get(sql, key, key)?.['seq'] ?? 0);
}
