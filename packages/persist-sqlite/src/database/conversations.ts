import type { ForkInput, ImportInput } from '../calls.ts';
import { insertCommit } from './append-group.ts';
import type { Connection } from './connection.ts';
import { insertConversation } from './new-conversation.ts';
import type { Owners } from './owners.ts';
import { findConversation, headOf } from './heads.ts';
import { existsAlready, Refusal } from './refusal.ts';
import { transact } from './schema.ts';
import { insertSpan, spansOf } from './spans.ts';

/** Makes a fork that shares the log of its source. Its cost does not depend on the length of the log. */
export function fork(connection: Connection, { key: sourceKey, end, newId, body, summary, kept }: ForkInput): void {
  transact(connection, () => {
    const source = headOf(connection, sourceKey);
    if (!source) throw new Refusal('NOT_FOUND', 'the conversation was deleted; fork another one');
    assertNew(connection, newId);
    const { seq, event } = end;
    const { epoch } = source;
    const key = insertConversation(connection, newId, summary, { seq, event, epoch });
    for (const span of spansOf(connection, source.key)) {
      if (span.firstSeq >= seq) continue;
      const { endSeq, endEvent } = span;
      insertSpan(connection, key, { ...span, endSeq: Math.min(endSeq, seq), endEvent: Math.min(endEvent, event) });
    }
    insertCommit(connection, key, { seq, epoch, firstEvent: event, eventIds: [], body });
    connection.run('UPDATE conversations SET next_seq = ?, kept = ? WHERE key = ?', seq + 1, kept, key);
    connection.run(
      'INSERT INTO snapshots SELECT ?, seq, version, crc, data FROM snapshots WHERE conversation = ? AND seq <= ?',
      key,
      source.key,
      seq,
    );
  });
  markEnd(connection, newId);
}

/** Writes a whole conversation. */
export function importConversation(connection: Connection, { id, commits, summary, kept }: ImportInput): void {
  transact(connection, () => {
    assertNew(connection, id);
    const key = insertConversation(connection, id, summary);
    for (const commit of commits) insertCommit(connection, key, commit);
    const last = commits.at(-1);
    if (!last) return;
    const end = last.firstEvent + last.eventIds.length;
    const sql = 'UPDATE conversations SET next_seq = ?, next_event = ?, epoch = ?, kept = ? WHERE key = ?';
    connection.run(sql, last.seq + 1, end, last.epoch, kept, key);
  });
  markEnd(connection, id);
}

/**
 * Removes a conversation that no live owner holds, and fences stale owners. Its commits are removed later in small parts, so that
 * appends do not wait for a long log.
 */
export function deleteConversation(connection: Connection, owners: Owners, id: string): void {
  transact(connection, () => {
    const found = findConversation(connection, id);
    if (!found) return;
    owners.assertFree(connection, id);
    // Clear the mark durably before the row goes, or the mark would prove a loss (docs/decisions/0032-sqlite-end-marks.md).
    connection.ends?.clear(found.key);
    const logs = spansOf(connection, found.key).map(({ log }) => log);
    connection.run('DELETE FROM spans WHERE conversation = ?', found.key);
    connection.run('DELETE FROM snapshots WHERE conversation = ?', found.key);
    connection.run('DELETE FROM conversations WHERE key = ?', found.key);
    for (const log of logs) {
      // Keep the log of an existing conversation, even if damage has taken its span.
      if (headOf(connection, log)) continue;
      // Keep the commits that forks still read; only later ones are garbage.
      connection.run(
        'INSERT OR REPLACE INTO garbage ' +
          'SELECT ?, coalesce(max(end_seq), 0), coalesce(max(end_event), 0) FROM spans WHERE log = ?',
        log,
        log,
      );
    }
  });
}

/** Marks the end of a conversation that is durable. */
function markEnd(connection: Connection, id: string): void {
  try {
    const head = findConversation(connection, id);
    if (head) connection.ends?.set({ id, ...head });
  } catch {
    // A mark is a proof and no promise rests on it. The conversation is made, so no error may say that it is not.
  }
}

function assertNew(connection: Connection, id: string): void {
  if (findConversation(connection, id)) throw existsAlready(id);
}
