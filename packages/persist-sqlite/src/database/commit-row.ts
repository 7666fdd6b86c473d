import { crc32 } from 'node:zlib';
import type { CommitRow } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';

/** Commit that was read, or the reason why it could not be. */
export type FoundCommit = CommitRow | { readonly seq: number; readonly reason: string };

/** Returns the checksum of a commit: over its log, its numbers and its text. */
export function commitCrc(log: number, { seq, epoch, firstEvent, body }: CommitRow, events: number): number {
  return crc32(body, crc32([log, seq, epoch, firstEvent, events].join(' ')));
}

/** Returns the commit in a row of a log if its checksum is right, else the reason. */
export function checked(log: number, row: SqliteRow): FoundCommit {
  const found = {
    seq: Number(row['seq']),
    epoch: Number(row['epoch']),
    firstEvent: Number(row['first_event']),
    body: String(row['body']),
  };
  if (commitCrc(log, found, Number(row['events'])) === row['crc']) return found;
  return { seq: found.seq, reason: `commit ${found.seq} does not have its checksum` };
}
