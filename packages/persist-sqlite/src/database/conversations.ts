import type { ForkInput, ImportInput, SummaryColumns } from '../calls.ts';
import { insertCommit } from './append-group.ts';
import type { Connection } from './connection.ts';
import { insertConversation } from './new-conversation.ts';
import type { Owners } from './owners.ts';
import { findConversation } from './heads.ts';
import { Refusal } from './refusal.ts';
import { transact } from './schema.ts';
import { insertSpan, spansOf } from './spans.ts';

/** Makes a fork that shares the log of its source: what it costs does not depend on how long that is. */
export function fork(connection: Connection, { id, newId, body, summary }: ForkInput): void {
  transact(connection, () => {
    const source = findConversation(connection, id);
    if (!source) throw new Refusal('NOT_FOUND', `conversation ${id}`);
    assertNew(connection, newId);
    const { seq, event, epoch } = source;
    const key = insertConversation(connection, newId, changedSummary(connection, source.key, summary), {
      seq,
      event,
      epoch,
    });
    for (const span of spansOf(connection, source.key)) {
      if (span.firstSeq >= seq) continue;
      const { endSeq, endEvent } = span;
      insertSpan(connection, key, { ...span, endSeq: Math.min(endSeq, seq), endEvent: Math.min(endEvent, event) });
    }
    insertCommit(connection, key, { seq, epoch, firstEvent: event, eventIds: [], body });
    connection.run('UPDATE conversations SET next_seq = ? WHERE key = ?', seq + 1, key);
    connection.run(
      'INSERT INTO snapshots SELECT ?, seq, version, crc, data FROM snapshots WHERE conversation = ? AND seq <= ?',
      key,
      source.key,
      seq,
    );
  });
  markEnd(connection, newId);
}

/** Writes a conversation as a whole. */
export function importConversation(connection: Connection, { id, commits, summary }: ImportInput): void {
  transact(connection, () => {
    assertNew(connection, id);
    const key = insertConversation(connection, id, summary);
    for (const commit of commits) insertCommit(connection, key, commit);
    const last = commits.at(-1);
    if (!last) return;
    const end = last.firstEvent + last.eventIds.length;
    const sql = 'UPDATE conversations SET next_seq = ?, next_event = ?, epoch = ? WHERE key = ?';
    connection.run(sql, last.seq + 1, end, last.epoch, key);
  });
  markEnd(connection, id);
}

/**
 * Removes a conversation that nobody owns, and fences whoever believes to. Its commits follow bit by bit: a long log must not
 * hold up those who append meanwhile.
 */
export function deleteConversation(connection: Connection, owners: Owners, id: string): void {
  transact(connection, () => {
    const found = findConversation(connection, id);
    if (!found) return;
    owners.assertFree(connection, id);
    connection.ends?.clear(found.key);
    const logs = spansOf(connection, found.key).map(({ log }) => log);
    connection.run('DELETE FROM spans WHERE conversation = ?', found.key);
    connection.run('DELETE FROM snapshots WHERE conversation = ?', found.key);
    connection.run('DELETE FROM conversations WHERE key = ?', found.key);
    for (const log of logs) {
      // What forks still read of it stays.
      connection.run(
        'INSERT OR REPLACE INTO garbage ' +
          'SELECT ?, coalesce(max(end_seq), 0), coalesce(max(end_event), 0) FROM spans WHERE log = ?',
        log,
        log,
      );
    }
  });
}

function markEnd(connection: Connection, id: string): void {
  const head = findConversation(connection, id);
  if (head) connection.ends?.set({ id, ...head });
}

function assertNew(connection: Connection, id: string): void {
  if (findConversation(connection, id)) throw new Refusal('EXISTS', `conversation ${id}`);
}

function changedSummary(connection: Connection, key: number, { set, addTags }: ForkInput['summary']): SummaryColumns {
  const row = connection.get('SELECT * FROM conversations WHERE key = ?', key) ?? {};
  const source: SummaryColumns = {
    title: String(row['title']),
    status: String(row['status']),
    createdAt: String(row['created_at']),
    tags: String(row['tags']),
    parentId: row['parent_id'] === null ? null : String(row['parent_id']),
    forkedFrom: row['forked_from'] === null ? null : String(row['forked_from']),
  };
  const changed = { ...source, ...set };
  const tags = JSON.parse(changed.tags) as Readonly<Record<string, string>>;
  return { ...changed, tags: JSON.stringify({ ...tags, ...addTags }) };
}
