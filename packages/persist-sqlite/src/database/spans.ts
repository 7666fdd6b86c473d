import { crc32 } from 'node:zlib';
import type { Connection } from './connection.ts';
import { Refusal } from './refusal.ts';

/** Part of the log of a conversation. */
export interface Span {
  readonly log: number;
  readonly firstSeq: number;
  readonly endSeq: number;
  readonly endEvent: number;
}

/** End of the span that a conversation writes itself; the real end is that of the conversation. */
export const OPEN_END: number = 2 ** 32 - 1;

/** Adds a part of a log to a conversation. */
export function insertSpan(connection: Connection, key: number, span: Span): void {
  const { firstSeq, endSeq, endEvent, log } = span;
  connection.run('INSERT INTO spans VALUES (?, ?, ?, ?, ?, ?)', key, firstSeq, endSeq, endEvent, log, crcOf(key, span));
}

/** Returns the parts of a conversation's log, in order. Throws `CORRUPT` when a row is damaged. */
export function spansOf(connection: Connection, key: number): readonly Span[] {
  const { whole, damaged } = wholeSpansOf(connection, key);
  // A damaged row could show commits of another conversation.
  if (damaged.length > 0)
    throw new Refusal(
      'CORRUPT',
      `database ${connection.file}: where the log of a conversation lies is damaged: check it with repair`,
    );
  return whole;
}

/** Returns the parts with undamaged rows, in order, and the first commits that the damaged rows name. */
export function wholeSpansOf(
  connection: Connection,
  key: number,
): { readonly whole: readonly Span[]; readonly damaged: readonly number[] } {
  const sql = 'SELECT log, first_seq, end_seq, end_event, crc FROM spans WHERE conversation = ? ORDER BY first_seq';
  const whole: Span[] = [];
  const damaged: number[] = [];
  for (const row of connection.iterate(sql, key)) {
    const [log, firstSeq, endSeq, endEvent] = ['log', 'first_seq', 'end_seq', 'end_event'].map((name) =>
      Number(row[name]),
    ) as [number, number, number, number];
    const span = { log, firstSeq, endSeq, endEvent };
    if (row['crc'] === crcOf(key, span)) whole.push(span);
    else damaged.push(firstSeq);
  }
  return { whole, damaged };
}

function crcOf(key: number, { log, firstSeq, endSeq, endEvent }: Span): number {
  return crc32([key, log, firstSeq, endSeq, endEvent].join(' '));
}
