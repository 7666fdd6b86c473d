import { crc32 } from 'node:zlib';
import { readEvent } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';
import type { Row } from './postgres-pool.ts';

/** A commit as it is kept: JSON without the numbers that it gets when it is stored. */
export function toBody({ id, events, patch, records }: NewCommit): Buffer {
  return Buffer.from(JSON.stringify({ id, events, patch, records }));
}

/** What protects a commit, as the database's signed integer. */
export function bodyCrc(body: string | Buffer): number {
  return crc32(body) | 0;
}

/** The commit in a row; throws when the row is not what was stored. Here text becomes events, whatever their kinds and fields. */
export function toCommit(row: Row): Commit {
  const body = String(row['o_body']);
  if (bodyCrc(body) !== Number(row['o_crc'])) throw new Error('the checksum does not match');
  const commit = JSON.parse(body) as NewCommit;
  return {
    ...commit,
    seq: toCommitSeq(Number(row['o_seq'])),
    epoch: Number(row['o_epoch']),
    firstEvent: toEventIndex(Number(row['o_first_event'])),
    events: commit.events.map(readEvent),
  };
}
