import type { SummaryColumns } from '../calls.ts';
import type { Connection } from './connection.ts';
import { insertSpan, OPEN_END } from './spans.ts';

/** Puts an empty conversation into the database and returns its key. Its log may begin behind those of a source. */
export function insertConversation(
  connection: Connection,
  id: string,
  summary: SummaryColumns,
  start: { readonly seq: number; readonly event: number; readonly epoch: number } = { seq: 0, event: 0, epoch: 0 },
): number {
  const { title, status, createdAt, tags, parentId, forkedFrom } = summary;
  connection.run(
    'INSERT INTO conversations (id, epoch, next_seq, next_event, title, status, created_at, updated_at, tags, parent_id, forked_from) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    start.epoch,
    start.seq,
    start.event,
    title,
    status,
    createdAt,
    now(),
    tags,
    parentId,
    forkedFrom,
  );
  const key = Number(connection.get('SELECT key FROM conversations WHERE id = ?', id)?.['key']);
  insertSpan(connection, key, { firstSeq: start.seq, endSeq: OPEN_END, endEvent: OPEN_END, log: key });
  return key;
}

/** The time of a change, UTC. */
export function now(): string {
  return new Date().toISOString();
}
