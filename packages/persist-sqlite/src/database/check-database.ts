import type { CommitRow, Finding } from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import { structure } from './check-shared.ts';
import type { Connection } from './connection.ts';
import { idsOf, unindexed } from './indexed-ids.ts';
import { readCommits } from './read-commits.ts';
import { failureOf } from './refusal.ts';
import { spansOf } from './spans.ts';

/**
 * Reads everything: the structure of the file, every commit with its checksum and numbers, and the index of event ids. Commits
 * that forks share are read once, and their faults are reported for the first conversation that has them.
 */
export function checkDatabase(connection: Connection): readonly Finding[] {
  const findings: Finding[] = [];
  const attempt = (conversationId: string | null, check: () => Iterable<string>): void => {
    try {
      for (const problem of check()) findings.push({ conversationId, problem });
    } catch (error) {
      const { code, message } = failureOf(error, connection.driver, connection.file);
      if (code !== 'CORRUPT') throw error;
      findings.push({ conversationId, problem: message });
    }
  };
  attempt(null, () => structure(connection));
  let rows: readonly SqliteRow[] = [];
  attempt(null, () => {
    rows = Array.from(connection.iterate('SELECT id, key, next_seq, next_event FROM conversations ORDER BY key'));
    return [];
  });
  const verified = new Map<number, number>();
  for (const row of rows) attempt(String(row['id']), () => conversation(connection, row, verified));
  return findings;
}

/** Checks the part of a conversation's log that no conversation before it shares. */
function* conversation(connection: Connection, row: SqliteRow, verified: Map<number, number>): Generator<string> {
  const [key, end, endEvent] = [Number(row['key']), Number(row['next_seq']), Number(row['next_event'])];
  let last: CommitRow | undefined;
  for (const { log, firstSeq, endSeq } of spansOf(connection, key)) {
    const to = Math.min(end, endSeq);
    for (let from = Math.max(firstSeq, verified.get(log) ?? 0); from < to;) {
      const { rows, damage, next } = readCommits(connection, key, from, to);
      for (const { reason } of damage) yield reason;
      for (const found of rows) {
        yield* misplaced(last, found);
        for (const { event, id } of unindexed(connection, log, found))
          yield `event ${event} is not found by its id ${id}`;
        last = found;
      }
      verified.set(log, next);
      from = next;
    }
  }
  const found = last?.seq === end - 1 ? eventAfter(last) : endEvent;
  if (found !== endEvent) yield `the log ends at event ${found}, not ${endEvent}`;
}

function* misplaced(before: CommitRow | undefined, { seq, firstEvent }: CommitRow): Generator<string> {
  if (before?.seq !== seq - 1) return;
  const expected = eventAfter(before);
  if (firstEvent !== expected) yield `commit ${seq} begins with event ${firstEvent}, not ${expected}`;
}

function eventAfter(commit: CommitRow): number {
  return commit.firstEvent + idsOf(commit).length;
}
