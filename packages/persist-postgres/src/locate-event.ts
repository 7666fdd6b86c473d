import { toEventIndex, type EventIndex, type JournalReader } from '@conv/core/store';
import { findEvent } from '@conv/store-kit';
import type { Database } from './database.ts';
import { toIdKey } from './id-key.ts';
import type { LogParts, Span } from './log-parts.ts';
import { unindexed } from './unindexed.ts';

export interface LocateContext {
  readonly database: Database;
  readonly spans: readonly Span[];
  readonly parts: LogParts;
  readonly reader: Pick<JournalReader, 'commits' | 'end'>;
}

/**
 * Resolves with the number of the first event with an id, or `undefined`. Compares the index with the log, and searches the log
 * itself when the index is damaged.
 */
export async function locateEvent(context: LocateContext, eventId: string): Promise<EventIndex | undefined> {
  const event = await indexed(context, eventId);
  const isTrue = event === undefined ? await isIndexed(context) : await isAt(context, eventId, event);
  return isTrue ? event : findEvent(context.reader.commits(), eventId);
}

async function indexed({ database, spans, reader }: LocateContext, eventId: string): Promise<EventIndex | undefined> {
  const [row] = await database.run(
    `SELECT min(e.event) AS event FROM unnest($1::bigint[], $2::bigint[]) AS t (log, before)
     JOIN @.event_ids e ON e.log = t.log AND e.id = $3::uuid AND e.event < t.before`,
    [spans.map(({ log }) => log), spans.map(({ endEvent }) => Math.min(endEvent, reader.end.event)), toIdKey(eventId)],
  );
  const event = row?.['event'];
  return event === null || event === undefined ? undefined : toEventIndex(Number(event));
}

/** True unless the log has another event at this number. A lost commit does not prove the index wrong. */
async function isAt({ reader }: LocateContext, eventId: string, event: number): Promise<boolean> {
  if (event < 0) return false;
  const [fromEvent, toEvent] = [toEventIndex(event), toEventIndex(event + 1)];
  for await (const { firstEvent, events } of reader.commits({ fromEvent, toEvent }))
    if (events[event - firstEvent]?.id !== eventId) return false;
  return true;
}

/** True if the index finds every event. A store checks each commit once. */
async function isIndexed({ database, spans, parts, reader }: LocateContext): Promise<boolean> {
  const { indexedUpTo } = database;
  for (const { log, firstSeq, endSeq } of spans) {
    const to = Math.min(reader.end.seq, endSeq);
    for (let from = Math.max(firstSeq, indexedUpTo.get(log) ?? 0); from < to;) {
      const { commits, next } = await parts.read(from, to);
      if ((await unindexed(database, log, commits)).length > 0) return false;
      from = next;
      indexedUpTo.set(log, next);
    }
  }
  return true;
}
