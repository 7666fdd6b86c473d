import { crc32 } from 'node:zlib';
import type { Commit, NewCommit } from '@conv/core/store';
import { bodyJson, readCommitBody, toCommitBody } from '@conv/store-kit';
import type { Row } from './postgres-pool.ts';

/** Returns a commit as it is stored: JSON without the numbers that the store assigns. */
export function toBody(commit: NewCommit): Buffer {
  return Buffer.from(bodyJson(toCommitBody(commit)));
}

/** Place of a commit: its log and its numbers. */
export interface CommitPlace {
  readonly log: number;
  readonly seq: number;
  readonly epoch: number;
  readonly firstEvent: number;
  readonly events: number;
}

/** Returns the checksum of a commit, over its text, its place and its numbers, as the database's signed integer. */
export function commitCrc(body: string | Buffer, { log, seq, epoch, firstEvent, events }: CommitPlace): number {
  return crc32(body, crc32([log, seq, epoch, firstEvent, events].join(' '))) | 0;
}

/** Returns the checksum of a text alone: of snapshots, and of commits that were stored before version 3 of the schema. */
export function textCrc(text: string): number {
  return crc32(text) | 0;
}

/** Returns the commit in a row of a log. Throws when the row is not as it was stored. */
export function toCommit(row: Row, log: number): Commit {
  const body = String(row['o_body']);
  const place = placeOf(row, log);
  const crc = Number(row['o_crc']);
  if (commitCrc(body, place) !== crc && textCrc(body) !== crc) throw new Error('the checksum does not match');
  return readCommitBody(body, place);
}

export function placeOf(row: Row, log: number): CommitPlace {
  return {
    log,
    seq: Number(row['o_seq']),
    epoch: Number(row['o_epoch']),
    firstEvent: Number(row['o_first_event']),
    events: Number(row['o_events']),
  };
}
