import type { Finding as CheckFinding, JournalEnd } from '@conv/core/store';
import { isoNow } from '@conv/core/platform';
import type { SummaryColumns } from '@conv/store-kit';
import type { CheckPart } from '../calls.ts';
import type { SqliteRow, SqliteValue } from '../driver.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { unindexed } from './indexed-ids.ts';
import { readCommits } from './read-commits.ts';
import { indexedEvents } from './proved-end.ts';
import { ifReadable } from './refusal.ts';
import { isSnapshotWhole } from './snapshots.ts';
import { transact } from './schema.ts';
import { spansOf } from './spans.ts';

/** Compares the index of event ids with the next commits of a conversation. `repair` corrects the index by the commits. */
export function checkIds(connection: Connection, key: number, from: number, repair: boolean): CheckPart {
  const end = headOf(connection, key)?.seq ?? 0;
  const span = spansOf(connection, key).find(({ firstSeq, endSeq }) => from >= firstSeq && from < endSeq);
  if (!span || from >= end) return { findings: [], next: end };
  const { rows, next } = readCommits(connection, key, from, Math.min(end, span.endSeq));
  const findings: CheckFinding[] = [];
  for (const commit of rows) {
    for (const { log, id, event } of unindexed(connection, span.log, commit)) {
      const sql = 'INSERT OR REPLACE INTO event_ids VALUES (?, ?, ?)';
      const repaired = repair && changed(connection, sql, log, id, event);
      findings.push(found('index', `event ${event} is not found by its id ${id}`, repaired));
    }
  }
  return { findings, next };
}

/** Checks the records that exist once for each conversation: the snapshot, and the end of the log in its row. */
export function checkRow(
  connection: Connection,
  key: number,
  { seq, event }: JournalEnd,
  repair: boolean,
): readonly CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (!isSnapshotWhole(connection, key)) {
    const sql = 'DELETE FROM snapshots WHERE conversation = ?';
    const repaired = repair && changed(connection, sql, key);
    findings.push(
      found('snapshot', 'the snapshot does not have its checksum; the state is folded from the log', repaired),
    );
  }
  const row = connection.get('SELECT next_seq, next_event FROM conversations WHERE key = ?', key);
  const [rowSeq, rowEvent] = [Number(row?.['next_seq']), Number(row?.['next_event'])];
  // A row that is further ahead was written meanwhile; readers take the furthest end that they find.
  if (row && (rowSeq < seq || (rowSeq === seq && rowEvent !== event))) {
    const sql = 'UPDATE conversations SET next_seq = ?, next_event = ? WHERE key = ?';
    const repaired = repair && changed(connection, sql, seq, event, key);
    findings.push(found('end', `the log ends at commit ${seq} and event ${event}, its row says otherwise`, repaired));
  }
  const indexed = row && rowSeq <= seq ? ifReadable(connection, () => indexedEvents(connection, key)) : undefined;
  if (indexed !== undefined && indexed > event) {
    const message =
      `the index has events up to number ${indexed - 1}, and the log ends before event ${event}: its newest commits are lost; ` +
      'take the conversation from a backup';
    findings.push({ part: 'end', severity: 'lost', message, repaired: false });
  }
  return findings;
}

/** Returns the columns of a conversation for lists; `undefined` when its log has grown after commit `seq`. */
export function summaryOf(connection: Connection, key: number, seq: number): SqliteRow | undefined {
  const sql =
    'SELECT title, status, created_at, tags, parent_id, forked_from FROM conversations WHERE key = ? AND next_seq <= ?';
  return connection.get(sql, key, seq);
}

export function rewriteSummary(connection: Connection, key: number, summary: SummaryColumns): void {
  const sql =
    'UPDATE conversations SET title = ?, status = ?, created_at = ?, tags = ?, parent_id = ?, forked_from = ?, ' +
    "updated_at = CASE WHEN updated_at GLOB '????-??-??T??:??:??.???Z' THEN updated_at ELSE ? END WHERE key = ?";
  transact(connection, () => connection.run(sql, ...summary, isoNow(connection.platform), key));
}

export function rewriteKept(connection: Connection, key: number, kept: string): void {
  transact(connection, () => connection.run('UPDATE conversations SET kept = ? WHERE key = ?', kept, key));
}

export function removeSnapshot(connection: Connection, key: number): void {
  transact(connection, () => connection.run('DELETE FROM snapshots WHERE conversation = ?', key));
}

/** Runs a statement of a repair. False where the page itself is damaged. */
function changed(connection: Connection, sql: string, ...values: readonly SqliteValue[]): boolean {
  return ifReadable(connection, () => transact(connection, () => connection.run(sql, ...values))) !== undefined;
}

function found(part: string, message: string, repaired: boolean): CheckFinding {
  return { part, severity: 'damaged', message, repaired };
}
