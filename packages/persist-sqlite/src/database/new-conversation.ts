import type { SummaryColumns } from '../calls.ts';
import type { Connection } from './connection.ts';

/** Ends the span that a conversation writes itself: its log ends where the conversation does. */
export const OPEN_END: number = Number.MAX_SAFE_INTEGER;

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
    ...[id, start.epoch, start.seq, start.event, title, status, createdAt, now(), tags, parentId, forkedFrom],
  );
  const key = Number(connection.get('SELECT key FROM conversations WHERE id = ?', id)?.['key']);
  connection.run('INSERT INTO spans VALUES (?, ?, ?, ?, ?)', key, start.seq, OPEN_END, OPEN_END, key);
  return key;
}

/** The time of a change, UTC. */
export function now(): string {
  return new Date().toISOString();
}
