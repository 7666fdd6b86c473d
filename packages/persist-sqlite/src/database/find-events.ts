import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { idsOf, isIndexed } from './indexed-ids.ts';
import { readCommit, readCommits } from './read-commits.ts';
import { ifReadable, Refusal } from './refusal.ts';
import { spansOf, type Span } from './spans.ts';

/** Finds the commits that hold a range of events, by halving: the first event numbers of commits never fall. */
export function commitsOfEvents(
  connection: Connection,
  key: number,
  fromEvent: number,
  toEvent: number,
): { readonly from: number; readonly to: number } {
  const spans = spansOf(connection, key);
  const end = headOf(connection, key)?.seq ?? 0;
  if (toEvent <= fromEvent) return { from: 0, to: 0 };
  const last = firstHolding(connection, spans, end, toEvent - 1);
  // After the last readable commit, any unreadable commit may hold the event: include all up to the next readable one, or up to
  // the end.
  const readable = nearest(connection, spans, [last, end], readWhole);
  const to = !readable ? end : readable.firstEvent < toEvent ? readable.seq + 1 : Math.max(readable.seq, last + 1);
  return { from: firstHolding(connection, spans, end, fromEvent), to: Math.min(end, to) };
}

/** Returns the first commit that ends after an event. Counts unreadable commits as part of the next readable one. */
function firstHolding(connection: Connection, spans: readonly Span[], end: number, event: number): number {
  const found = halve(connection, spans, end, event, readNumbers);
  const commit = found < end ? readWhole(connection, spans, found) : undefined;
  // Damaged numbers would mislead the search, so it then trusts only commits with a right checksum.
  const holds = commit && commit.firstEvent <= event && event < commit.endEvent;
  return holds ? found : halve(connection, spans, end, event, readWhole);
}

/** Reads the numbers of one commit; returns `undefined` when it cannot be read. */
type ReadOne = (connection: Connection, spans: readonly Span[], seq: number) => Numbers | undefined;

interface Numbers {
  readonly seq: number;
  readonly firstEvent: number;
  readonly endEvent: number;
}

function halve(connection: Connection, spans: readonly Span[], end: number, event: number, read: ReadOne): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = nearest(connection, spans, [middle, high], read);
    if (found && found.endEvent <= event) low = found.seq + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first readable commit from `from` on. */
function nearest(
  connection: Connection,
  spans: readonly Span[],
  [from, to]: readonly [number, number],
  read: ReadOne,
): Numbers | undefined {
  for (let seq = from; seq < to; seq++) {
    const found = read(connection, spans, seq);
    if (found) return found;
  }
  return undefined;
}

const readNumbers: ReadOne = (connection, spans, seq) => {
  const span = spans.find((one) => seq >= one.firstSeq && seq < one.endSeq);
  if (!span) return undefined;
  const sql = 'SELECT first_event, events FROM commits WHERE position = (? << 32) | ?';
  const row = ifReadable(connection, () => connection.get(sql, span.log, seq));
  return row && numbers(seq, Number(row['first_event']), Number(row['events']));
};

const readWhole: ReadOne = (connection, spans, seq) => {
  const span = spans.find((one) => seq >= one.firstSeq && seq < one.endSeq);
  const commit = span && readCommit(connection, span, seq);
  return commit && numbers(seq, commit.firstEvent, idsOf(commit).length);
};

function numbers(seq: number, firstEvent: number, events: number): Numbers {
  return { seq, firstEvent, endEvent: firstEvent + events };
}

/**
 * Returns the number of the first event with an id. Compares the index with the log, and throws `CORRUPT` when they disagree; the
 * caller then searches the log itself.
 */
export function locateEvent(connection: Connection, key: number, eventId: string, end: number): number | undefined {
  const spans = spansOf(connection, key);
  for (const { log, endEvent } of spans) {
    const row = connection.get('SELECT event FROM event_ids WHERE log = ? AND id = ?', log, eventId);
    const event = row && Number(row['event']);
    if (event === undefined || event >= Math.min(end, endEvent)) continue;
    if (!isThere(connection, key, eventId, event)) throw misled(connection, eventId);
    return event;
  }
  // A damaged index does not prove that an id is unknown.
  if (!isIndexed(connection, key, spans)) throw misled(connection, eventId);
  return undefined;
}

function isThere(connection: Connection, key: number, eventId: string, event: number): boolean {
  const { from } = commitsOfEvents(connection, key, event, event + 1);
  const { rows } = readCommits(connection, key, from, from + 1);
  // A lost commit does not prove the index wrong.
  return rows.every((commit) => idsOf(commit)[event - commit.firstEvent] === eventId);
}

function misled(connection: Connection, id: string): Refusal {
  return new Refusal(
    'CORRUPT',
    `database ${connection.file}: the index of event ids is damaged at ${id}: check it with repair`,
  );
}
