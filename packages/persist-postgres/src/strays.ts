import { placeOf, toCommit } from './commit-body.ts';
import type { Database } from './database.ts';
import type { Row } from './postgres-pool.ts';

/**
 * Moves rows after the end of a log back to the place that their check values tell, and removes the others. No row after the
 * end was acknowledged at its place, and the next commits need these places. Resolves with the numbers of the commits that were
 * put back.
 */
export async function settleStrays(database: Database, log: number, end: number): Promise<readonly number[]> {
  const rows = await database.run(
    `SELECT seq AS o_seq, epoch AS o_epoch, first_event AS o_first_event, events AS o_events, crc AS o_crc, body AS o_body
     FROM @.commits WHERE log = $1 AND seq >= $2 ORDER BY seq`,
    [log, end],
  );
  if (rows.length === 0) return [];
  const restored: number[] = [];
  for (const seq of await missing(database, log, end)) {
    const row = rows.find((stray) => belongsAt(stray, log, seq));
    if (!row) continue;
    await database.run('UPDATE @.commits SET seq = $3 WHERE log = $1 AND seq = $2', [log, row['o_seq'], seq]);
    restored.push(seq);
  }
  await database.run('DELETE FROM @.commits WHERE log = $1 AND seq >= $2', [log, end]);
  return restored;
}

/** Resolves with the numbers of up to 100 commits that a log lacks. */
async function missing(database: Database, log: number, end: number): Promise<readonly number[]> {
  const rows = await database.run(
    `SELECT n AS seq FROM @.heads h, generate_series(h.own_from, $2 - 1) n
     WHERE h.key = $1 AND NOT EXISTS (SELECT FROM @.commits c WHERE c.log = $1 AND c.seq = n) ORDER BY n LIMIT 100`,
    [log, end],
  );
  return rows.map((row) => Number(row['seq']));
}

function belongsAt(row: Row, log: number, seq: number): boolean {
  try {
    const { seq: found } = toCommit({ ...row, o_seq: seq }, log);
    return found === seq && placeOf(row, log).seq !== seq;
  } catch {
    return false;
  }
}
