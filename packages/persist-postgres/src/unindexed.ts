import type { Commit } from '@conv/core/store';
import type { Database } from './database.ts';
import { toIdKey } from './id-key.ts';

/** Event that the index of ids does not find at its number. */
export interface Unindexed {
  readonly id: string;
  readonly event: number;
}

/** Resolves with the events of commits of one log that the index of ids does not find. */
export async function unindexed(database: Database, log: number, commits: readonly Commit[]): Promise<Unindexed[]> {
  const events = commits.flatMap(({ events: stored, firstEvent }) =>
    stored.map(({ id }, at) => ({ id, event: firstEvent + at })),
  );
  if (events.length === 0) return [];
  const rows = await database.run(
    'SELECT id::text AS id, event FROM @.event_ids WHERE log = $1 AND id = ANY($2::uuid[])',
    [log, events.map(({ id }) => toIdKey(id))],
  );
  const known = new Map(rows.map((row) => [String(row['id']).replaceAll('-', ''), Number(row['event'])]));
  // If events share an id, the index keeps the first.
  return events.filter(({ id, event }) => !((known.get(toIdKey(id).replaceAll('-', '')) ?? Infinity) <= event));
}
