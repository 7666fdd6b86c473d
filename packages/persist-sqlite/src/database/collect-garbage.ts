import type { Connection } from './connection.ts';
import { transact } from './schema.ts';

/** Limits the commits that one transaction removes. */
const SLICE = 256;

/** Removes a part of the remains of deleted conversations. Returns false when nothing is left. */
export function collectGarbage(connection: Connection): boolean {
  // Skips a damaged row that names a log in use; it harms nothing, and `check` names it.
  const row = connection.get(
    'SELECT log, from_seq, from_event FROM garbage ' +
      'WHERE NOT EXISTS (SELECT 1 FROM spans WHERE spans.log = garbage.log AND end_seq > from_seq) LIMIT 1',
  );
  if (!row) return false;
  const [log, fromSeq, fromEvent] = [row['log'] ?? 0, row['from_seq'] ?? 0, row['from_event'] ?? 0];
  transact(connection, () => {
    const commits = connection.run(
      'DELETE FROM commits WHERE position IN ' +
        '(SELECT position FROM commits WHERE position >= (? << 32) | ? AND position < ((? + 1) << 32) LIMIT ?)',
      log,
      fromSeq,
      log,
      SLICE,
    );
    const ids = connection.run(
      'DELETE FROM event_ids WHERE log = ? AND id IN (SELECT id FROM event_ids WHERE log = ? AND event >= ? LIMIT ?)',
      log,
      log,
      fromEvent,
      SLICE,
    );
    if (commits < SLICE && ids < SLICE) connection.run('DELETE FROM garbage WHERE log = ?', log);
  });
  return true;
}
