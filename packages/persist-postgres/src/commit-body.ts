import { crc32 } from 'node:zlib';
import type { Commit, NewCommit } from '@conv/core/store';
import { bodyJson, readCommitBody, toCommitBody } from '@conv/store-kit';
import type { Row } from './postgres-pool.ts';

/** Returns a commit as it is kept: JSON without the numbers that it gets when it is stored. */
export function toBody(commit: NewCommit): Buffer {
  return Buffer.from(bodyJson(toCommitBody(commit)));
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

/** Returns the commit of a log in a row. Throws when the row is not what was stored. */
export function toCommit(row: Row, log: number): Commit {
  const body = String(row['o_body']);
  const place = placeOf(row, log);
  const crc = Number(row['o_crc']);
  if (commitCrc(body, place) !== crc && textCrc(body) !== crc) throw new Error('the checksum does not match');
  return readCommitBody(body, place);
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
