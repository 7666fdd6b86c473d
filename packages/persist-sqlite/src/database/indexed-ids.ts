import type { CommitRow } from '../calls.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { readCommits } from './read-commits.ts';
import type { Span } from './spans.ts';

/** Event that the index of ids does not find at its number. */
export interface Unindexed {
  readonly log: number;
  readonly id: string;
  readonly event: number;
}

/** Yields the events of a commit that the index of ids does not find. */
export function* unindexed(connection: Connection, log: number, commit: CommitRow): Generator<Unindexed> {
  for (const [at, id] of idsOf(commit).entries()) {
    const row = connection.get('SELECT event FROM event_ids WHERE log = ? AND id = ?', log, id);
    const event = commit.firstEvent + at;
    // If events share an id, the index keeps the first.
    if (!row || Number(row['event']) > event) yield { log, id, event };
  }
}

/**
 * True if the index finds every event of a conversation. A connection checks each commit once, so that asking for unknown ids
 * costs no more than the new commits.
 */
export function isIndexed(connection: Connection, key: number, spans: readonly Span[]): boolean {
  const end = headOf(connection, key)?.seq ?? 0;
  for (const { log, firstSeq, endSeq } of spans) {
    const to = Math.min(end, endSeq);
    for (let from = Math.max(firstSeq, connection.indexedUpTo.get(log) ?? 0); from < to;) {
      const { rows, next } = readCommits(connection, key, from, to);
      for (const commit of rows) if (!unindexed(connection, log, commit).next().done) return false;
      connection.indexedUpTo.set(log, next);
      from = next;
    }
  }
  return true;
}

/** Returns the ids of the events of a commit, in order. */
export function idsOf({ body }: CommitRow): readonly string[] {
  return (JSON.parse(body) as { readonly events: readonly { readonly id: string }[] }).events.map(({ id }) => id);
}
