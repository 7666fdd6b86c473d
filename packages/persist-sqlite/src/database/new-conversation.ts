import { isoNow } from '@conv/core/platform';

import type { SummaryColumns } from '@conv/store-kit';
import type { Connection } from './connection.ts';
import { insertSpan, OPEN_END } from './spans.ts';

/** Start of a new conversation. Default: commit 0 and event 0, under the next unused key. */
export interface NewStart {
  readonly seq?: number;
  readonly event?: number;
  readonly epoch?: number;
  readonly key?: number;
}

/** Inserts an empty conversation and returns its key. Its log may begin after the logs of a source. */
export function insertConversation(
  connection: Connection,
  id: string,
  summary: SummaryColumns,
  start: NewStart = {},
): number {
  insertRow(connection, id, summary, start);
  const key = Number(connection.get('SELECT key FROM conversations WHERE id = ?', id)?.['key']);
  insertSpan(connection, key, { firstSeq: start.seq ?? 0, endSeq: OPEN_END, endEvent: OPEN_END, log: key });
  return key;
}

/** Inserts the row of a conversation alone. */
export function insertRow(
  connection: Connection,
  id: string,
  summary: SummaryColumns,
  { seq = 0, event = 0, epoch = 0, key }: NewStart,
): void {
  connection.run(
    'INSERT INTO conversations (key, id, epoch, next_seq, next_event, updated_at, title, status, created_at, tags, parent_id, forked_from) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    key ?? null,
    id,
    epoch,
    seq,
    event,
    isoNow(connection.platform),
    ...summary,
  );
}
