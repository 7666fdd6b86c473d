import type { Connection } from './connection.ts';
import { dropMarks, readMarks, type FoundMarks } from './end-marks.ts';
import type { EndMark } from './end-mark.ts';
import { findConversation } from './heads.ts';
import { insertConversation } from './new-conversation.ts';
import { transact } from './schema.ts';
import { isWalDamaged } from './wal-damage.ts';

/** What was beside a database before SQLite opened it and forgot what did not check. */
export interface Beside extends FoundMarks {
  /** True if the marks hold although they were written beside another file: the copy is damaged, not short. */
  readonly isDamaged: boolean;
}

/** Looks beside a database, before it is opened. */
export function lookBeside(database: string): Beside | undefined {
  const found = readMarks(database);
  if (!found) return undefined;
  // Where damage has taken the place that they were written in, marks hold: to ask too often is safer than to forget.
  const isDamaged = found.generation === undefined || (!found.isInPlace && isWalDamaged(database));
  return { ...found, isDamaged };
}

/**
 * Compares what was acknowledged with what the database has. What it has lost becomes a part of it as damage: the log ends where it
 * ended, and the commits that are not there are named by everybody who reads. Resolves what was found lost when nothing may be written.
 */
export function settleEnds(connection: Connection, beside: Beside | undefined, readOnly: boolean): void {
  if (!beside) return;
  const isSame = beside.generation === undefined || beside.generation === generationOf(connection);
  const holds = isSame && (beside.isInPlace || beside.isDamaged);
  // A copy that ends early, or another database under this name.
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

/** Which content of the file it is: a backup that is put in the place of its source must not be compared with the source's marks. */
export function generationOf(connection: Connection): number {
  return Number(connection.get('PRAGMA user_version')?.['user_version'] ?? 0);
}

function lostEnds(connection: Connection, marks: readonly EndMark[]): readonly EndMark[] {
  return marks.filter((mark) => {
    const head = findConversation(connection, mark.id);
    // one of another key was made anew after the marked one was deleted
    return !head || (head.key === mark.key && head.seq < mark.seq);
  });
}

/**
 * The marks that are there after the database was looked at. Who deletes a conversation takes its mark away before its row: so one that
 * another process deleted since the marks were read is not taken for lost.
 */
function stillMarked(connection: Connection, lost: readonly EndMark[]): readonly EndMark[] {
  const marked = new Set(readMarks(connection.file)?.marks.map(({ key }) => key));
  return lost.filter(({ key }) => marked.has(key));
}

function restoreEnd(connection: Connection, { id, key, epoch, seq, event }: EndMark, kept: string | undefined): void {
  if (!findConversation(connection, id)) {
    const summary = { title: 'null', status: 'idle', createdAt: new Date().toISOString(), tags: '{}' };
    insertConversation(connection, id, { ...summary, parentId: null, forkedFrom: null }, { key });
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
