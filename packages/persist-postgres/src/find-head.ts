import { StoreError, toCommitSeq, toEventIndex, type JournalEnd } from '@conv/core/store';
import { placeOf, toCommit } from './commit-body.ts';
import type { Database } from './database.ts';
import type { Span } from './log-parts.ts';
import type { Row } from './postgres-pool.ts';

/** Rows that are read at a time to find the newest that is whole. */
const ROWS = 16;

/** No number of a conversation that was not damaged comes near to this one. */
const IMPLAUSIBLE = 2 ** 48;

/** Where a conversation is and how far its log was acknowledged. */
export interface FoundHead {
  readonly key: number;
  readonly epoch: number;
  readonly ownFrom: number;
  readonly end: JournalEnd;
  /** Its row as it was found; `null`: it is not there any more. */
  readonly row: string | null;
  /** Why the row does not say what is true; `undefined` when it does. */
  readonly problem: string | undefined;
  /** Commits are in the log that the end comes before: they were never acknowledged there. */
  readonly hasStrays: boolean;
}

/**
 * The conversation with an id; `undefined` when there is none. Its row counts while its seal is whole. Otherwise the newest whole
 * commit of the log tells where it ends, and the row that lists it where it is.
 */
export async function findHead(database: Database, id: string): Promise<FoundHead | undefined> {
  const [row] = await database.run('SELECT * FROM @.find($1)', [id]);
  if (!row) return undefined;
  const sealed = row['o_sealed'] === true;
  const said = saidBy(row);
  if (sealed && isEndOf(row, said)) return { ...said, problem: undefined, hasStrays: false };
  // Nothing but a damaged row knows of this id: it may have been another one.
  if (!sealed && row['o_listed'] === null)
    throw new StoreError(
      'CORRUPT',
      `conversation ${id}: its row in ${database.schema}.heads is damaged, and it is not listed`,
    );
  const key = sealed ? said.key : Number(row['o_listed'] ?? row['o_key']);
  const { last, top } = await lastWhole(database, key);
  const isBehind = last !== undefined && last.seq > said.end.seq;
  const hasStrays = top >= Math.max(sealed ? said.end.seq : 0, last?.seq ?? 0);
  if (sealed && !isBehind) return { ...said, problem: undefined, hasStrays };
  const ownFrom = sealed ? said.ownFrom : await inheritedUpTo(database, key);
  const [seq, event] = last ? [last.seq, last.event] : await startOf(database, key);
  return {
    key,
    epoch: Math.max(last?.epoch ?? 0, said.epoch < IMPLAUSIBLE ? said.epoch : 0) + 1,
    ownFrom,
    end: { seq: toCommitSeq(seq), event: toEventIndex(event) },
    row: said.row,
    problem: said.row === null ? 'is not there any more' : 'is damaged',
    hasStrays,
  };
}

/** The head of a conversation that is to be written: what its row does not say right is put right. Rejects `CORRUPT` when that is gone. */
export async function mendedHead(database: Database, id: string): Promise<FoundHead | undefined> {
  const head = await findHead(database, id);
  if (!head) return undefined;
  if (head.row === null) throw lostRow(id, database);
  await mend(database, id, head);
  return head;
}

/** Writes the row of a conversation anew when it is damaged. Resolves `true` if it did. */
export async function mend(database: Database, id: string, head: FoundHead): Promise<boolean> {
  if (head.problem === undefined) return false;
  const { key, epoch, ownFrom, end, row } = head;
  const [done] = await database.run('SELECT @.mend($1, $2, $3, $4, $5, $6, $7) AS done', [
    id,
    row,
    key,
    epoch,
    end.seq,
    end.event,
    ownFrom,
  ]);
  return done?.['done'] === true;
}

/** Says that the row of a conversation is lost whose log is there. */
export function lostRow(id: string, { schema }: Database): StoreError {
  const message = `conversation ${id}: its row in ${schema}.heads is lost or damaged, and its log is there: check it with repair`;
  return new StoreError('CORRUPT', message);
}

/** The spans of a conversation's log whose rows are whole. They never change, and only a fork has more than one. */
export async function spansOf(
  database: Database,
  { key, ownFrom }: Pick<FoundHead, 'key' | 'ownFrom'>,
): Promise<readonly Span[]> {
  const rows =
    ownFrom === 0
      ? []
      : await database.run(
          `SELECT log, first_seq, end_seq, end_event FROM @.inherited i
           WHERE key = $1 AND seal IS NOT DISTINCT FROM @.seal_of_span(i) ORDER BY first_seq`,
          [key],
        );
  return [...rows.map(toSpan), { log: key, firstSeq: ownFrom, endSeq: Infinity, endEvent: Infinity }];
}

function saidBy(row: Row): Omit<FoundHead, 'problem' | 'hasStrays'> {
  const number = (name: string): number => Number(row[name] ?? 0);
  const isSound = number('o_next_seq') < IMPLAUSIBLE && number('o_next_event') < IMPLAUSIBLE;
  return {
    key: number('o_key'),
    epoch: number('o_epoch'),
    ownFrom: number('o_own_from'),
    end: {
      seq: toCommitSeq(isSound ? Math.max(0, number('o_next_seq')) : 0),
      event: toEventIndex(isSound ? Math.max(0, number('o_next_event')) : 0),
    },
    row: (row['o_row'] ?? null) as string | null,
  };
}

/** True if the newest row of the log is the last one that the conversation's row knows of, or a later one is missing. */
function isEndOf(row: Row, { end, ownFrom }: Pick<FoundHead, 'end' | 'ownFrom'>): boolean {
  if (row['o_last_seq'] === null) return end.seq >= ownFrom;
  const seq = Number(row['o_last_seq']) + 1;
  return seq < end.seq || (seq === end.seq && Number(row['o_last_end']) === end.event);
}

interface WholeCommit {
  /** The numbers behind it. */
  readonly seq: number;
  readonly event: number;
  readonly epoch: number;
}

/** The end of the newest commit of a log that is as it was stored, and the number of the newest row. */
async function lastWhole(
  database: Database,
  log: number,
): Promise<{ readonly last: WholeCommit | undefined; readonly top: number }> {
  let top = -1;
  for (let before = '9223372036854775807'; ;) {
    const rows = await database.run(
      `SELECT seq AS o_seq, epoch AS o_epoch, first_event AS o_first_event, events AS o_events, crc AS o_crc, body AS o_body
       FROM @.commits WHERE log = $1 AND seq < $2 ORDER BY seq DESC LIMIT ${ROWS}`,
      [log, before],
    );
    top = Math.max(top, Number(rows[0]?.['o_seq'] ?? -1));
    const whole = rows.find((row) => isWhole(row, log));
    if (whole) {
      const { seq, epoch, firstEvent, events } = placeOf(whole, log);
      return { last: { seq: seq + 1, event: firstEvent + events, epoch }, top };
    }
    if (rows.length < ROWS) return { last: undefined, top };
    before = String(rows.at(-1)?.['o_seq']);
  }
}

function isWhole(row: Row, log: number): boolean {
  try {
    toCommit(row, log);
    return true;
  } catch {
    return false;
  }
}

/** Where a log begins that has no whole commit of its own. */
async function startOf(database: Database, key: number): Promise<readonly [number, number]> {
  const [row] = await database.run(
    'SELECT coalesce(max(end_seq), 0) AS seq, coalesce(max(end_event), 0) AS event FROM @.inherited i WHERE key = $1 AND seal = @.seal_of_span(i)',
    [key],
  );
  return [Number(row?.['seq']), Number(row?.['event'])];
}

async function inheritedUpTo(database: Database, key: number): Promise<number> {
  return (await startOf(database, key))[0];
}

function toSpan(row: Row): Span {
  return {
    log: Number(row['log']),
    firstSeq: Number(row['first_seq']),
    endSeq: Number(row['end_seq']),
    endEvent: Number(row['end_event']),
  };
}
