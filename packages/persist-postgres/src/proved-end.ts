import type { Snapshot } from '@conv/core/store';
import { isOtherId, keptIn } from '@conv/store-kit';
import type { Database } from './database.ts';
import type { Row } from './postgres-pool.ts';
import { snapshotCrc } from './snapshot-crc.ts';

/** The numbers after the last commit that a record proves. */
export interface ProvedEnd {
  readonly seq: number;
  readonly event: number;
}

/**
 * Resolves with the end of a log by the records that follow it: the snapshot and the copy of the settings. Each has a check value, was
 * written in or after the transaction of its commit, and names its conversation (decision 83). `row`: the row of `find` with the columns
 * `o_log`, the key, `o_snapshot`, the number of the snapshot, and `o_kept`. The snapshot is read only if it is ahead of the row.
 */
export async function provedEnd(database: Database, row: Row, id: string): Promise<ProvedEnd> {
  const kept = keptIn(row['o_kept'], id)[0]?.seq ?? 0;
  const said = row['o_sealed'] === true ? Number(row['o_next_seq']) : 0;
  const snapshot = Number(row['o_snapshot'] ?? 0) > said ? await snapshotEnd(database, row, id) : undefined;
  return snapshot && snapshot.seq >= kept ? snapshot : { seq: kept, event: 0 };
}

/** Resolves with the number after the last event that the index knows in the own log of a conversation. Reads all of its entries. */
export async function indexedEvents(database: Database, key: number): Promise<number> {
  const [row] = await database.run('SELECT max(event) AS last FROM @.event_ids WHERE log = $1', [key]);
  return row?.['last'] === null || row === undefined ? 0 : Number(row['last']) + 1;
}

async function snapshotEnd(database: Database, row: Row, id: string): Promise<ProvedEnd | undefined> {
  const text = 'SELECT seq, version, data, crc FROM @.snapshots WHERE key = $1';
  const [found] = await database.run(text, [row['o_log']]);
  if (!found || snapshotCrc(found) !== found['crc']) return undefined;
  const { endEvent, fields } = JSON.parse(String(found['data'])) as Snapshot['data'] & {
    readonly fields?: { readonly id?: unknown };
  };
  if (isOtherId(fields?.id, id)) return undefined;
  return { seq: Number(found['seq']), event: typeof endEvent === 'number' ? endEvent : 0 };
}
