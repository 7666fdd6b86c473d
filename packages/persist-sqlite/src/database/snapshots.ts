import { crc32 } from 'node:zlib';
import type { DatabaseCalls, SnapshotInput } from '../calls.ts';
import type { Connection } from './connection.ts';

/** Stores a snapshot, unless its writer is fenced or it is ahead of the log. */
export function saveSnapshot(connection: Connection, { key, epoch, seq, version, data }: SnapshotInput): void {
  connection.transaction(() => {
    connection.run(
      'INSERT OR REPLACE INTO snapshots SELECT key, ?, ?, ?, ? FROM conversations WHERE key = ? AND epoch = ? AND next_seq >= ?',
      seq,
      version,
      crcOf(seq, data),
      data,
      key,
      epoch,
      seq,
    );
  });
}

/** Returns the snapshot of a conversation, unless it is damaged or ahead of the log. */
export function readSnapshot(connection: Connection, key: number, end: number): ReturnType<DatabaseCalls['snapshot']> {
  const row = connection.get(
    'SELECT seq, version, crc, data FROM snapshots WHERE conversation = ? AND seq <= ?',
    key,
    end,
  );
  const data = row?.['data'];
  if (!row || typeof data !== 'string' || crcOf(Number(row['seq']), data) !== row['crc']) return undefined;
  return { seq: Number(row['seq']), version: Number(row['version']), data };
}

/** False if there is a snapshot with a wrong checksum. */
export function isSnapshotWhole(connection: Connection, key: number): boolean {
  const row = connection.get('SELECT seq, crc, data FROM snapshots WHERE conversation = ?', key);
  return !row || crcOf(Number(row['seq']), String(row['data'])) === row['crc'];
}

function crcOf(seq: number, data: string): number {
  return crc32(data, crc32(`${seq} `));
}
