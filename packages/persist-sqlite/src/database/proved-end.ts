import { textIn } from '@conv/store-kit/system';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';
import { readSnapshot } from './snapshots.ts';

/** The numbers after the last commit that a record proves. */
export interface ProvedEnd {
  readonly seq: number;
  readonly event: number;
}

/**
 * Returns the end of a log by the records that follow it, if one of them proves more commits than `seq`: the snapshot and the copy of
 * the settings. Each has a check value, was written in or after the transaction of its commit, and names its conversation. A row
 * that was set back together with the loss of the newest commits cannot hide them then (decision 83).
 */
export function provedEnd(connection: Connection, row: SqliteRow, seq: number): ProvedEnd | undefined {
  const key = Number(row['key']);
  const proofs = [snapshotEnd(connection, key, row['id'], seq), keptEnd(row, seq)].filter((one) => one !== undefined);
  const furthest = proofs.toSorted((a, b) => b.seq - a.seq)[0];
  // The index of events is searched only then, because it is not ordered by number.
  return furthest && { seq: furthest.seq, event: Math.max(furthest.event, indexedEvents(connection, key)) };
}

/** Returns the number after the last event that the index knows in the own log of a conversation. Reads all of its entries. */
export function indexedEvents(connection: Connection, key: number): number {
  const last = connection.get('SELECT max(event) AS last FROM event_ids WHERE log = ?', key)?.['last'];
  return typeof last === 'number' ? last + 1 : 0;
}

function snapshotEnd(
  connection: Connection,
  key: number,
  id: SqliteRow[string] | undefined,
  seq: number,
): ProvedEnd | undefined {
  if (!connection.get('SELECT 1 FROM snapshots WHERE conversation = ? AND seq > ?', key, seq)) return undefined;
  const found = readSnapshot(connection, key, Number.MAX_SAFE_INTEGER);
  if (!found) return undefined;
  const { endEvent, fields } = JSON.parse(found.data) as { readonly endEvent?: unknown; readonly fields?: Named };
  if (isOther(fields, id)) return undefined;
  return { seq: found.seq, event: typeof endEvent === 'number' ? endEvent : 0 };
}

function keptEnd({ id, kept }: SqliteRow, seq: number): ProvedEnd | undefined {
  if (typeof kept !== 'string' || !(Number(/^\w{8} (\d+) /.exec(kept)?.[1]) > seq)) return undefined;
  const [, shown, settings = ''] = /^(\d+) (.*)$/s.exec(textIn(kept) ?? '') ?? [];
  if (shown === undefined || isOther(JSON.parse(settings) as Named, id)) return undefined;
  return { seq: Number(shown), event: 0 };
}

interface Named {
  readonly id?: unknown;
}

/** True if a record names another conversation. Records of older versions name none. */
function isOther(record: Named | undefined, id: SqliteRow[string] | undefined): boolean {
  return typeof record?.id === 'string' && record.id !== '' && record.id !== id;
}
