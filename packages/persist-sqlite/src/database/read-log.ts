import { crc32 } from 'node:zlib';
import type {
  Changes,
  ChangesInput,
  CommitRow,
  CommitsInput,
  CommitsPart,
  Head,
  LocateInput,
  SnapshotRow,
  SpanInput,
} from '../calls.ts';
import type { SqliteRow } from '../driver.ts';
import type { Connection } from './connection.ts';
import { Refusal, storeCodeOf } from './refusal.ts';

/** A message to another thread holds at most this many commits, and ends behind the one that reaches this many characters. */
const PART_COMMITS = 512;
const PART_CHARACTERS = 1024 * 1024;

const HEAD = 'SELECT key, epoch, next_seq, next_event FROM conversations';

/** A part of the log of a conversation. */
export interface Span {
  readonly log: number;
  readonly firstSeq: number;
  readonly endSeq: number;
  readonly endEvent: number;
}

/** The conversation with an id. */
export function findConversation(connection: Connection, id: string): Head | undefined {
  return toHead(connection.get(`${HEAD} WHERE id = ?`, id));
}

/** The conversation with a key; keys are never used again, so that one made anew under the same id has another. */
export function headOf(connection: Connection, key: number): Head | undefined {
  return toHead(connection.get(`${HEAD} WHERE key = ?`, key));
}

/** The parts that the log of a conversation consists of, in order. */
export function spansOf(connection: Connection, key: number): readonly Span[] {
  const rows = connection.iterate(
    'SELECT log, first_seq, end_seq, end_event FROM spans WHERE conversation = ? ORDER BY first_seq',
    key,
  );
  return Array.from(rows, (row) => ({
    log: Number(row['log']),
    firstSeq: Number(row['first_seq']),
    endSeq: Number(row['end_seq']),
    endEvent: Number(row['end_event']),
  }));
}

/** What protects a commit: its numbers and its text. */
export function commitCrc(seq: number, epoch: number, firstEvent: number, events: number, body: string): number {
  return crc32(body, crc32(`${seq} ${epoch} ${firstEvent} ${events} `));
}

/** The first commits of a range, and what of them is damaged. */
export function readCommits(connection: Connection, { key, from, to }: CommitsInput): CommitsPart {
  const rows: CommitRow[] = [];
  const damage: { from: number; to: number; reason: string }[] = [];
  const lose = (seq: number, reason: string): void => {
    damage.push({ from: seq, to: seq, reason: `${reason} in ${connection.file}` });
  };
  let next = from;
  let characters = 0;
  for (const span of spansOf(connection, key)) {
    const end = Math.min(to, span.endSeq, from + PART_COMMITS);
    while (next < end && characters < PART_CHARACTERS) {
      for (const found of readRows(connection, span, next, end)) {
        for (; next < found.seq; next++) lose(next, `commit ${next} is missing`);
        next = found.seq + 1;
        if ('reason' in found) lose(found.seq, found.reason);
        else rows.push(found);
        characters += 'reason' in found ? 0 : found.body.length;
        if (characters >= PART_CHARACTERS) break;
      }
      if (characters < PART_CHARACTERS) for (; next < end; next++) lose(next, `commit ${next} is missing`);
    }
  }
  const stuck = next === from && from < to;
  // Of a conversation that was deleted while it is read nothing is damaged.
  if ((stuck || damage.length > 0) && !headOf(connection, key)) throw new Refusal('NOT_FOUND', 'the conversation was deleted');
  if (stuck) throw new Refusal('CORRUPT', `database ${connection.file}: where commit ${from} lies is not known`);
  return { rows, damage, next };
}

type FoundCommit = CommitRow | { readonly seq: number; readonly reason: string };

/** Rows of a span that SQLite can read; when it meets a damaged page, each commit is looked for by itself. */
function* readRows(connection: Connection, span: Span, from: number, to: number): Generator<FoundCommit> {
  let next = from;
  try {
    const sql =
      'SELECT position & 4294967295 AS seq, epoch, first_event, events, crc, body FROM commits ' +
      'WHERE position >= (? << 32) | ? AND position < (? << 32) | ? ORDER BY position';
    for (const row of connection.iterate(sql, span.log, from, span.log, to)) {
      const found = checked(row);
      next = found.seq + 1;
      yield found;
    }
    return;
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
  }
  for (; next < to; next++) {
    const found = readAlone(connection, span, next);
    if (found) yield found;
  }
}

function readAlone(connection: Connection, { log }: Span, seq: number): FoundCommit | undefined {
  try {
    const sql = 'SELECT ? AS seq, epoch, first_event, events, crc, body FROM commits WHERE position = (? << 32) | ?';
    const row = connection.get(sql, seq, log, seq);
    return row && checked(row);
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
    return { seq, reason: `commit ${seq} lies on a damaged page` };
  }
}

function checked(row: SqliteRow): FoundCommit {
  const [seq, epoch, firstEvent] = [Number(row['seq']), Number(row['epoch']), Number(row['first_event'])];
  const body = row['body'];
  if (typeof body !== 'string' || commitCrc(seq, epoch, firstEvent, Number(row['events']), body) !== row['crc']) {
    return { seq, reason: `commit ${seq} does not have its checksum` };
  }
  return { seq, epoch, firstEvent, body };
}

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

/** The snapshot of a conversation, unless it is damaged or ahead of the log. */
export function readSnapshot(connection: Connection, key: number, end: number): SnapshotRow | undefined {
  const row = connection.get('SELECT seq, version, crc, data FROM snapshots WHERE conversation = ? AND seq <= ?', key, end);
  const data = row?.['data'];
  if (!row || typeof data !== 'string' || snapshotCrc(Number(row['seq']), data) !== row['crc']) return undefined;
  return { seq: Number(row['seq']), version: Number(row['version']), data };
}

/** What protects a snapshot. */
export function snapshotCrc(seq: number, data: string): number {
  return crc32(data, crc32(`${seq} `));
}

/** Where conversations end, when other connections have changed anything since `version`. */
export function changesSince(connection: Connection, { version, keys }: ChangesInput): Changes {
  const now = Number(connection.get('PRAGMA data_version')?.['data_version']);
  if (now === version) return { version };
  const ends = new Map<number, number>();
  for (const key of keys) {
    const head = headOf(connection, key);
    if (head) ends.set(key, head.seq);
  }
  return { version: now, ends };
}

function toHead(row: SqliteRow | undefined): Head | undefined {
  return (
    row && {
      key: Number(row['key']),
      epoch: Number(row['epoch']),
      seq: Number(row['next_seq']),
      event: Number(row['next_event']),
    }
  );
}
