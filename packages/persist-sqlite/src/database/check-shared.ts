import type { Finding as CheckFinding } from '@conv/core/store';
import type { Incomplete } from '@conv/store-kit';
import type { Connection } from './connection.ts';
import { lostRows, type Fault } from './lost-rows.ts';
import { ifReadable } from './refusal.ts';

/** Limits the faults that SQLite's own check returns. */
const FAULTS = 100;

/**
 * Checks the parts that all conversations share: the structure of the file and of its indexes, and that every log has its
 * conversation. `repair` rebuilds the indexes and puts lost rows of conversations back.
 */
export function checkShared(connection: Connection, repair: boolean): readonly CheckFinding[] {
  const before = structure(connection);
  const findings: Fault[] = [
    ...before.map((message) => ({ message, repaired: false })),
    ...strayGarbage(connection, repair),
    // In a damaged structure a row may be hidden and not lost.
    ...lostRows(connection, repair && before.length === 0),
  ];
  if (repair && before.length > 0 && reindex(connection)) {
    const left = new Set(structure(connection));
    for (const finding of findings) finding.repaired ||= before.includes(finding.message) && !left.has(finding.message);
  }
  return findings.map(({ message, repaired }) => ({ part: 'database', severity: 'damaged', message, repaired }));
}

/** Returns the conversations whose row is lost, and which no list shows. */
export function incomplete(connection: Connection): readonly Incomplete[] {
  return lostRows(connection, false).map(({ id, message }) => ({ id, part: 'database', message }));
}

/** Returns the faults that SQLite finds in the structure of the file. */
export function structure(connection: Connection): readonly string[] {
  const rows = connection.iterate(`PRAGMA integrity_check(${FAULTS})`);
  return Array.from(rows, (row) => String(row['integrity_check'])).filter((line) => line !== 'ok');
}

/** Rebuilds every index from its table. Leaves all as they are if an index alone still knows a lost row. */
function reindex(connection: Connection): boolean {
  const done = ifReadable(connection, () => {
    const unknown = connection.get(
      'SELECT count(*) AS count FROM conversations INDEXED BY conversations_by_id WHERE key NOT IN ' +
        '(SELECT key FROM conversations NOT INDEXED)',
    );
    if (Number(unknown?.['count']) > 0) return false;
    connection.transaction(() => connection.exec('REINDEX'));
    return true;
  });
  return done === true;
}

/** Finds rows of `garbage` that name a log which conversations still use. `repair` deletes these rows. */
function strayGarbage(connection: Connection, repair: boolean): Fault[] {
  const stray = 'EXISTS (SELECT 1 FROM spans WHERE spans.log = garbage.log AND end_seq > from_seq)';
  const logs = Array.from(connection.iterate(`SELECT log FROM garbage WHERE ${stray}`), (row) => Number(row['log']));
  if (repair && logs.length > 0) connection.transaction(() => connection.run(`DELETE FROM garbage WHERE ${stray}`));
  return logs.map((log) => ({ message: `log ${log} is in use and said to be removed`, repaired: repair }));
}
