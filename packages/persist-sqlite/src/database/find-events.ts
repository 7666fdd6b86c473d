import type { LocateInput, SpanInput } from '../calls.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { storeCodeOf } from './refusal.ts';
import { spansOf, type Span } from './spans.ts';

/** Which commits hold the events of a span, found by halving: where commits begin never falls. */
export function commitsOfEvents(
  connection: Connection,
  { key, fromEvent, toEvent }: SpanInput,
): { readonly from: number; readonly to: number } {
  const spans = spansOf(connection, key);
  const end = headOf(connection, key)?.seq ?? 0;
  if (toEvent <= fromEvent) return { from: 0, to: 0 };
  return {
    from: firstHolding(connection, spans, end, fromEvent),
    to: Math.min(end, firstHolding(connection, spans, end, toEvent - 1) + 1),
  };
}

/** The first commit that ends behind an event; one that cannot be read is counted to the next that can. */
function firstHolding(connection: Connection, spans: readonly Span[], end: number, event: number): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = nearest(connection, spans, middle, high);
    if (found && found.endEvent <= event) low = found.seq + 1;
    else high = middle;
  }
  return low;
}

/** The first readable commit from `from` on. */
function nearest(
  connection: Connection,
  spans: readonly Span[],
  from: number,
  to: number,
): { readonly seq: number; readonly endEvent: number } | undefined {
  for (let seq = from; seq < to; seq++) {
    const span = spans.find((one) => seq >= one.firstSeq && seq < one.endSeq);
    if (!span) continue;
    try {
      const sql = 'SELECT first_event, events FROM commits WHERE position = (? << 32) | ?';
      const row = connection.get(sql, span.log, seq);
      if (row) return { seq, endEvent: Number(row['first_event']) + Number(row['events']) };
    } catch (error) {
      if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
    }
  }
  return undefined;
}

/** The number of the first event with an id. */
export function locateEvent(connection: Connection, { key, eventId, end }: LocateInput): number | undefined {
  for (const { log, endEvent } of spansOf(connection, key)) {
    const row = connection.get('SELECT event FROM event_ids WHERE log = ? AND id = ?', log, eventId);
    const event = row && Number(row['event']);
    if (event !== undefined && event < Math.min(end, endEvent)) return event;
  }
  return undefined;
}
