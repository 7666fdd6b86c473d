import type { CommitRow, CommitsPart, VerifiedPart } from '../calls.ts';
import { checked, type FoundCommit } from './commit-row.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';
import { ifReadable, Refusal, storeCodeOf } from './refusal.ts';
import { spansOf, type Span } from './spans.ts';

/** Limits the commits in a message to another thread. It also ends after the commit that reaches the limit of characters. */
const PART_COMMITS = 512;
const PART_CHARACTERS = 1024 * 1024;

/** Reads the first commits of a range, and names the damaged ones. */
export function readCommits(connection: Connection, key: number, from: number, to: number): CommitsPart {
  const part = new Part(connection.file, from);
  for (const span of spansOf(connection, key)) {
    const end = Math.min(to, span.endSeq);
    while (part.next < end && !part.isFull) readSome(connection, span, part, end);
  }
  const stuck = part.next === from && from < to;
  // A conversation that was deleted during the read has no damage.
  if ((stuck || part.damage.length > 0) && !headOf(connection, key))
    throw new Refusal('NOT_FOUND', 'the conversation was deleted; open another one, or make it anew');
  if (stuck)
    throw new Refusal(
      'CORRUPT',
      `database ${connection.file}: where commit ${from} lies is not known: check it with repair`,
    );
  return { rows: part.rows, damage: part.damage, next: part.next };
}

/** Compares the checksums of the first commits of a range, and names the damaged ones. */
export function verifyCommits(connection: Connection, key: number, from: number, to: number): VerifiedPart {
  const { rows, damage, next } = readCommits(connection, key, from, to);
  return { characters: rows.reduce((sum, { body }) => sum + body.length, 0), damage, next };
}

/** Part of a range as read so far. */
class Part {
  readonly rows: CommitRow[] = [];
  readonly damage: { from: number; to: number; reason: string }[] = [];
  next: number;
  readonly #file: string;
  #characters = 0;

  constructor(file: string, next: number) {
    this.#file = file;
    this.next = next;
  }

  get isFull(): boolean {
    return this.rows.length >= PART_COMMITS || this.#characters >= PART_CHARACTERS;
  }

  add(found: FoundCommit): void {
    this.missUntil(found.seq);
    this.next = found.seq + 1;
    if ('reason' in found) {
      this.damage.push({ from: found.seq, to: found.seq, reason: `${found.reason} in ${this.#file}` });
      return;
    }
    this.rows.push(found);
    this.#characters += found.body.length;
  }

  /** Notes that the commits before this number are missing. */
  missUntil(seq: number): void {
    if (this.next >= seq) return;
    const [from, to] = [this.next, seq - 1];
    const which = from === to ? `commit ${from} is` : `commits ${from} to ${to} are`;
    this.damage.push({ from, to, reason: `${which} missing in ${this.#file}` });
    this.next = seq;
  }
}

function readSome(connection: Connection, span: Span, part: Part, end: number): void {
  const stop = Math.min(end, part.next + PART_COMMITS);
  for (const found of readRows(connection, span, part.next, stop)) {
    part.add(found);
    if (part.isFull) return;
  }
  // Skip a long gap at once, for example after a damaged number.
  if (part.next < stop) part.missUntil(nextStored(connection, span, part.next, end, stop));
}

function nextStored(connection: Connection, { log }: Span, from: number, end: number, otherwise: number): number {
  const sql =
    'SELECT position & 4294967295 AS seq FROM commits ' +
    'WHERE position >= (? << 32) | ? AND position < (? << 32) | ? ORDER BY position LIMIT 1';
  const found = ifReadable(connection, () => ({ row: connection.get(sql, log, from, log, end) }));
  if (found && !found.row) return end;
  const seq = Number(found?.row?.['seq']);
  return from <= seq && seq < end ? seq : otherwise;
}

/**
 * Yields the rows of a span that SQLite can read, in order. A damaged tree may end early, miss rows, show them in other places,
 * or loop forever. So from the first row with an unexpected number on, each commit is read by itself.
 */
function* readRows(connection: Connection, span: Span, from: number, to: number): Generator<FoundCommit> {
  let next = from;
  try {
    const sql =
      'SELECT position & 4294967295 AS seq, epoch, first_event, events, crc, body FROM commits ' +
      'WHERE position >= (? << 32) | ? AND position < (? << 32) | ? ORDER BY position';
    for (const row of connection.iterate(sql, span.log, from, span.log, to)) {
      const found = checked(span.log, row);
      if (found.seq !== next) break;
      next = found.seq + 1;
      yield found;
    }
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
  }
  yield* readEach(connection, span, next, to);
}

function* readEach(connection: Connection, span: Span, from: number, to: number): Generator<FoundCommit> {
  for (let seq = from; seq < to; seq++) {
    const found = readAlone(connection, span, seq);
    if (found) yield found;
  }
}

/** Returns one commit with a right checksum; `undefined` when it is damaged or missing. */
export function readCommit(connection: Connection, span: Span, seq: number): CommitRow | undefined {
  const found = readAlone(connection, span, seq);
  return found && !('reason' in found) ? found : undefined;
}

function readAlone(connection: Connection, span: Span, seq: number): FoundCommit | undefined {
  const sql = 'SELECT ? AS seq, epoch, first_event, events, crc, body FROM commits WHERE position = (? << 32) | ?';
  const found = ifReadable(connection, () => ({ row: connection.get(sql, seq, span.log, seq) }));
  if (!found) return { seq, reason: `commit ${seq} lies on a damaged page` };
  return found.row && checked(span.log, found.row);
}
