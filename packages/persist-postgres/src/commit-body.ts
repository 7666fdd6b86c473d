import { crc32 } from 'node:zlib';
import { readEvent } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type NewCommit } from '@conv/core/store';
import type { Row } from './postgres-pool.ts';

/** A commit as it is kept: JSON without the numbers that it gets when it is stored. */
export function toBody({ id, events, patch, records }: NewCommit): Buffer {
  return Buffer.from(JSON.stringify({ id, events, patch, records }));
}

/** Where a commit is kept and which numbers it has. */
export interface CommitPlace {
  readonly log: number;
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
  readonly events: number;
}

/** What protects a commit, its place and its numbers, as the database's signed integer. */
export function commitCrc(body: string | Buffer, { log, seq, epoch, firstEvent, events }: CommitPlace): number {
  return crc32(body, crc32([log, seq, epoch, firstEvent, events].join(' '))) | 0;
}

/** What protects a text without numbers: a snapshot, and commits that were stored before the schema had version 3. */
export function textCrc(text: string): number {
  return crc32(text) | 0;
}

/**
 * The commit of a log in a row; throws when the row is not what was stored. Here text becomes events, whatever their kinds and
 * fields.
 */
export function toCommit(row: Row, log: number): Commit {
  const body = String(row['o_body']);
  const place = placeOf(row, log);
  const crc = Number(row['o_crc']);
  if (commitCrc(body, place) !== crc && textCrc(body) !== crc) throw new Error('the checksum does not match');
  const commit = JSON.parse(body) as NewCommit;
  return {
    ...commit,
    seq: toCommitSeq(place.seq),
    epoch: place.epoch,
    firstEvent: toEventIndex(place.firstEvent),
    events: commit.events.map(readEvent),
  };
}

/** The numbers of a row. */
export function placeOf(row: Row, log: number): CommitPlace {
  return {
    log,
    seq: Number(row['o_seq']),
    epoch: Number(row['o_epoch']),
    firstEvent: Number(row['o_first_event']),
    events: Number(row['o_events']),
  };
}
