import { crc32 } from 'node:zlib';
import type { Connection } from './connection.ts';
import { Refusal } from './refusal.ts';

/** A part of the log of a conversation. */
export interface Span {
  readonly log: number;
  readonly firstSeq: number;
  readonly endSeq: number;
  readonly endEvent: number;
}

/** Ends the span that a conversation writes itself: that ends where the conversation does. */
export const OPEN_END: number = 2 ** 32 - 1;

/** Makes a part of a log a part of a conversation. */
export function insertSpan(connection: Connection, key: number, span: Span): void {
  const { firstSeq, endSeq, endEvent, log } = span;
  connection.run('INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?)', key, firstSeq, endSeq, endEvent, log, crcOf(key, span));
}

/** The parts that the log of a conversation consists of, in order. */
export function spansOf(connection: Connection, key: number): readonly Span[] {
  const rows = connection.iterate(
    'SELECT log, first_seq, end_seq, end_event, crc FROM spans WHERE conversation = ? ORDER BY first_seq',
    key,
  );
  return Array.from(rows, (row) => {
    const span = {
      log: Number(row['log']),
      firstSeq: Number(row['first_seq']),
      endSeq: Number(row['end_seq']),
      endEvent: Number(row['end_event']),
    };
    // Otherwise damage might show commits of another conversation.
    if (row['crc'] !== crcOf(key, span))
      throw new Refusal('CORRUPT', `database ${connection.file}: where the log of a conversation lies is damaged`);
    return span;
  });
}

function crcOf(key: number, { log, firstSeq, endSeq, endEvent }: Span): number {
  return crc32([key, log, firstSeq, endSeq, endEvent].join(' '));
}
