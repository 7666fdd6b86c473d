import { isoNow } from '@conv/core/platform';

import type { Connection } from './connection.ts';
import { dropMarks, readMarks, type FoundMarks } from './end-marks.ts';
import type { EndMark } from './end-mark.ts';
import { findConversation } from './heads.ts';
import { mendOwnSpan } from './check-spans.ts';
import { insertRow } from './new-conversation.ts';
import { transact } from './schema.ts';
import { isWalDamaged } from './wal-damage.ts';

/** Marks beside a database, read before SQLite opened it and dropped unchecked frames. */
export interface Beside extends FoundMarks {
  /** True if the marks count although they were written beside another file, because the copy is damaged and not short. */
  readonly isDamaged: boolean;
}

/** Reads the marks beside a database. Call it before the database is opened. */
export function lookBeside(database: string): Beside | undefined {
  const found = readMarks(database);
  if (!found) return undefined;
  // A damaged header hides which file the marks belong to; count them then, because a false alarm is safer than a silent loss.
  const isDamaged = found.generation === undefined || (!found.isInPlace && isWalDamaged(database));
  return { ...found, isDamaged };
}

/**
 * Compares the acknowledged ends with the database. Lost commits become part of the database as damage: the log ends at its
 * acknowledged end, and every reader names the missing commits. On a read-only connection only records the lost ends. See
 * docs/decisions/0032-sqlite-end-marks.md.
 */
export function settleEnds(connection: Connection, beside: Beside | undefined, readOnly: boolean): void {
  if (!beside) return;
  const isSame = beside.generation === undefined || beside.generation === generationOf(connection);
  const holds = isSame && (beside.isInPlace || beside.isDamaged);
  // This file is a copy that ends early, or another database under this name, so the marks do not apply.
  if (!holds) return readOnly ? undefined : dropMarks(connection.file);
  const lost = lostEnds(connection, beside.marks);
  for (const [key, kept] of beside.kept) connection.kept.set(key, kept);
  if (lost.length === 0) return;
  if (readOnly) for (const mark of stillMarked(connection, lost)) connection.lostEnds.set(mark.id, mark);
  else
    transact(connection, () => {
      for (const mark of stillMarked(connection, lostEnds(connection, lost)))
        restoreEnd(connection, mark, beside.kept.get(mark.key));
    });
}

/** Returns the generation of the file, which tells a backup in the place of its source from the source. */
export function generationOf(connection: Connection): number {
  return Number(connection.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

function lostEnds(connection: Connection, marks: readonly EndMark[]): readonly EndMark[] {
  return marks.filter((mark) => {
    const head = findConversation(connection, mark.id);
    // a conversation with another key was created again after the marked one was deleted
    return !head || (head.key === mark.key && head.seq < mark.seq);
  });
}

/**
 * Returns the lost marks that still exist. A deletion takes the mark away before the row, so a conversation that another process
 * has deleted since the marks were read does not count as lost.
 */
function stillMarked(connection: Connection, lost: readonly EndMark[]): readonly EndMark[] {
  const marked = new Set(readMarks(connection.file)?.marks.map(({ key }) => key));
  return lost.filter(({ key }) => marked.has(key));
}

function restoreEnd(connection: Connection, { id, key, epoch, seq, event }: EndMark, kept: string | undefined): void {
  if (!findConversation(connection, id)) {
    insertRow(connection, id, ['null', 'idle', isoNow(connection.platform), '{}', null, null], { key });
    // The row that says where its log lies may be there: damage takes rows one by one.
    mendOwnSpan(connection, key);
  }
  connection.run(
    'UPDATE conversations SET next_seq = ?, next_event = ?, epoch = max(epoch, ?) WHERE id = ?',
    seq,
    event,
    epoch,
    id,
  );
  if (kept !== undefined) connection.run('UPDATE conversations SET kept = ? WHERE id = ?', kept, id);
}
