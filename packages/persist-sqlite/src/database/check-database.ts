import type { Finding } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';
import { readCommits, spansOf } from './read-log.ts';
import { storeCodeOf } from './refusal.ts';

/** SQLite's own check stops after so many faults. */
const FAULTS = 100;

/** Reads everything: the structure of the file, every commit with its checksum and numbers, and the index of event ids. */
export function checkDatabase(connection: Connection): readonly Finding[] {
  const findings: Finding[] = [];
  const attempt = (conversationId: string | null, check: () => Iterable<string>): void => {
    try {
      for (const problem of check()) findings.push({ conversationId, problem });
    } catch (error) {
      if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
      findings.push({ conversationId, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  attempt(null, () => structure(connection));
  let rows: readonly SqliteRow[] = [];
  attempt(null, () => {
    rows = Array.from(connection.iterate('SELECT id, key, next_seq, next_event FROM conversations ORDER BY key'));
    return [];
  });
  for (const row of rows) attempt(String(row['id']), () => conversation(connection, row));
  return findings;
}

function structure(connection: Connection): readonly string[] {
  return Array.from(connection.iterate(`PRAGMA integrity_check(${FAULTS})`), (row) => String(row['integrity_check'])).filter(
    (line) => line !== 'ok',
  );
}

function* conversation(connection: Connection, row: SqliteRow): Generator<string> {
  const [key, to] = [Number(row['key']), Number(row['next_seq'])];
  const spans = spansOf(connection, key);
  let events = 0;
  for (let from = 0; from < to;) {
    const { rows, damage, next } = readCommits(connection, { key, from, to });
    for (const { reason } of damage) yield reason;
    for (const { seq, firstEvent, body } of rows) {
      if (damage.length === 0 && firstEvent !== events) yield `commit ${seq} begins with event ${firstEvent}, not ${events}`;
      const log = spans.find(({ firstSeq, endSeq }) => seq >= firstSeq && seq < endSeq)?.log ?? key;
      const ids = (JSON.parse(body) as { readonly events: readonly { readonly id: string }[] }).events.map(({ id }) => id);
      yield* unindexed(connection, log, firstEvent, ids);
      events = firstEvent + ids.length;
    }
    if (next === from) return;
    from = next;
  }
  if (events !== Number(row['next_event'])) yield `the log ends at event ${events}, not ${Number(row['next_event'])}`;
}

function* unindexed(connection: Connection, log: number, first: number, ids: readonly string[]): Generator<string> {
  for (const [at, id] of ids.entries()) {
    const row = connection.get('SELECT event FROM event_ids WHERE log = ? AND id = ?', log, id);
    if (!row || Number(row['event']) > first + at) yield `event ${first + at} is not found by its id ${id}`;
  }
}
