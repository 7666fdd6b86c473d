import { StoreError, toCommitSeq, toEventIndex, type JournalEnd } from '@conv/core/store';
import { placeOf, toCommit } from './commit-body.ts';
import type { Database } from './database.ts';
import type { Span } from './log-parts.ts';
import type { Row } from './postgres-pool.ts';
import { indexedEvents, provedEnd } from './proved-end.ts';

/** Rows that are read at a time to find the newest undamaged commit. */
const ROWS = 16;

/** Bound above all numbers of real conversations; larger numbers are damage. */
const IMPLAUSIBLE = 2 ** 48;

/** Head of a conversation: its key, and the acknowledged end of its log. */
export interface FoundHead {
  readonly key: number;
  readonly epoch: number;
  readonly ownFrom: number;
  readonly end: JournalEnd;
  /** Row as it was found; `null` if it is missing. */
  readonly row: string | null;
  /** Description of the damage of the row; `undefined` when the row is right. */
  readonly problem: string | undefined;
  /** True if the log has rows after the end; these were never acknowledged at their place. */
  readonly hasStrays: boolean;
}

/**
 * Finds the head of a conversation; resolves `undefined` when there is none. The row counts while its seal is whole. Otherwise
 * the newest whole commit of the log tells the end, and the row in `summaries` tells the key
 * (docs/decisions/0050-postgres-seals.md).
 */
export async function findHead(database: Database, id: string): Promise<FoundHead | undefined> {
  const [row] = await database.run(
    `SELECT f.*, (SELECT seq FROM @.snapshots s WHERE s.key = f.o_log) AS o_snapshot,
       (SELECT kept FROM @.summaries c WHERE c.key = f.o_log) AS o_kept
     FROM (SELECT *, CASE WHEN o_sealed THEN o_key ELSE coalesce(o_listed, o_key) END AS o_log FROM @.find($1)) f`,
    [id],
  );
  if (!row) return undefined;
  const said = saidBy(row);
  // The row may have been set back together with the loss of the newest commits, by a program that renewed its seal (decision 83).
  const isSetBack = row['o_sealed'] === true && (await provedEnd(database, row, id)).seq > said.end.seq;
  const sealed = row['o_sealed'] === true && !isSetBack;
  if (sealed && isEndOf(row, said)) return { ...said, problem: undefined, hasStrays: false };
  // Only a damaged row has this id, and the damage may have changed the id itself.
  if (row['o_sealed'] !== true && row['o_listed'] === null)
    throw new StoreError(
      'CORRUPT',
      `conversation ${id}: its row in ${database.schema}.heads is damaged, and it is not listed: check it with repair`,
    );
  const key = Number(row['o_log']);
  const { last, top } = await lastWhole(database, key);
  const isBehind = last !== undefined && last.seq > said.end.seq;
  const hasStrays = top >= Math.max(sealed ? said.end.seq : 0, last?.seq ?? 0);
  if (sealed && !isBehind) return { ...said, problem: undefined, hasStrays };
  const ownFrom = row['o_sealed'] === true ? said.ownFrom : await inheritedUpTo(database, key);
  const [found, foundEvent] = last ? [last.seq, last.event] : await startOf(database, key);
  const proved = await provedEnd(database, row, id);
  const seq = Math.max(found, proved.seq);
  const event =
    proved.seq > found ? Math.max(foundEvent, proved.event, await indexedEvents(database, key)) : foundEvent;
  return {
    key,
    epoch: Math.max(last?.epoch ?? 0, said.epoch < IMPLAUSIBLE ? said.epoch : 0) + 1,
    ownFrom,
    end: { seq: toCommitSeq(seq), event: toEventIndex(event) },
    row: said.row,
    problem:
      said.row === null ? 'is not there any more' : isSetBack ? 'ends before commits that were stored' : 'is damaged',
    hasStrays,
  };
}

/** Finds the head of a conversation that is to be written, and rewrites a damaged row. Rejects `CORRUPT` when the row is lost. */
export async function mendedHead(database: Database, id: string): Promise<FoundHead | undefined> {
  const head = await findHead(database, id);
  if (!head) return undefined;
  if (head.row === null) throw lostRow(id, database);
  await mend(database, id, head);
  return head;
}

/** Rewrites the row of a conversation when it is damaged. Resolves `true` if it did. */
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

/** Makes the `CORRUPT` error for a conversation whose row is lost and whose log is there. */
export function lostRow(id: string, { schema }: Database): StoreError {
  const message = `conversation ${id}: its row in ${schema}.heads is lost or damaged, and its log is there: check it with repair`;
  return new StoreError('CORRUPT', message);
}

/** Resolves with the spans of a log whose rows are whole. Spans never change, and only a fork has more than one. */
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

/** True if the newest row of the log is the last that the conversation's row records, or a later row is missing. */
function isEndOf(row: Row, { end, ownFrom }: Pick<FoundHead, 'end' | 'ownFrom'>): boolean {
  if (row['o_last_seq'] === null) return end.seq >= ownFrom;
  const seq = Number(row['o_last_seq']) + 1;
  return seq < end.seq || (seq === end.seq && Number(row['o_last_end']) === end.event);
}

interface WholeCommit {
  /** Numbers after the commit. */
  readonly seq: number;
  readonly event: number;
  readonly epoch: number;
}

/** Resolves with the end of the newest undamaged commit of a log, and the number of the newest row. */
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

/** Resolves with the end of the inherited spans, where the log begins if it has no whole commit of its own. */
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
