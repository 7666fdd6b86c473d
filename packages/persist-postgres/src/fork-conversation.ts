import { forkCommits, StoreError, type Commit, type ForkOptions, type JournalReader } from '@conv/core/store';
import { existsAlready, forkState, keptText, notInStore, settingsText, stateAfter } from '@conv/store-kit';
import { commitCrc, toBody } from './commit-body.ts';
import type { Database } from './database.ts';
import { lostRow } from './find-head.ts';
import { DatabaseFailure } from './from-postgres-error.ts';
import { toIdKey } from './id-key.ts';
import type { Query } from './postgres-pool.ts';
import type { PostgresReader } from './reader.ts';
import { toColumns } from './summary.ts';

const BATCH_BYTES = 4 * 1024 * 1024;

/** Makes a fork of all commits that a reader of the source sees. The fork reads the commits of its source in place. */
export async function forkWhole(
  database: Database,
  source: PostgresReader,
  newId: string,
  { patch }: ForkOptions,
): Promise<void> {
  const birth = database.platform.id();
  const commitId = database.platform.id();
  const { end } = source;
  const { own, fields, kept } = await forkState(source, newId, patch);
  await settled(database, newId, birth, async (query) => {
    // The lock lets others append to the source, but not delete it.
    const [head] = await query('SELECT epoch FROM @.heads WHERE key = $1 FOR KEY SHARE', [source.key]);
    if (!head) throw await missing(database, query, source);
    const epoch = Number(head['epoch']);
    const key = await conceive(query, newId, birth, toColumns(fields));
    await query('SELECT @.inherit($1, $2, $3, $4, $5)', [key, source.key, epoch, end.seq, end.event]);
    await insert(query, key, [{ id: commitId, events: [], patch: own, seq: end.seq, epoch, firstEvent: end.event }]);
    await query('SELECT @.keep($1, $2)', [key, kept]);
  });
}

/** Returns the reason why a source has no row under its key: it was deleted, or damage has taken the row or its key. */
async function missing(database: Database, query: Query, { id, key }: PostgresReader): Promise<StoreError> {
  const text =
    'SELECT EXISTS (SELECT FROM @.summaries WHERE key = $1) OR EXISTS (SELECT FROM @.heads WHERE id = $2) AS listed';
  const [row] = await query(text, [key, id]);
  return row?.['listed'] === true ? lostRow(id, database) : notInStore(id);
}

/** Makes a fork of the path to one event, with a log of its own. */
export async function forkLineage(
  database: Database,
  source: JournalReader,
  newId: string,
  options: ForkOptions,
): Promise<void> {
  const commits = await forkCommits(source, options, database.platform);
  const fields = await stateAfter(commits);
  const birth = database.platform.id();
  await settled(database, newId, birth, async (query) => {
    const key = await conceive(query, newId, birth, toColumns(fields));
    for (const batch of batches(commits)) await insert(query, key, batch);
    await query('SELECT @.keep($1, $2)', [key, keptText(commits.length, settingsText(fields, newId))]);
  });
}

/**
 * Makes a conversation in one transaction. If its answer is lost, looks for the conversation by its `birth`, a value that only
 * this call uses. Rejects `OUTCOME_UNKNOWN` when that fails too.
 */
async function settled(
  database: Database,
  newId: string,
  birth: string,
  action: (query: Query) => Promise<void>,
): Promise<void> {
  try {
    await database.transaction(action);
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    if (!error.unknown) throw error.error;
    const unknown = (cause: unknown): StoreError =>
      new StoreError('OUTCOME_UNKNOWN', `whether conversation ${newId} was made is not known; open it to find out`, {
        cause,
      });
    const [row] = await database
      .run('SELECT birth::text AS birth FROM @.heads WHERE id = $1', [newId])
      .catch((cause: unknown) => {
        throw unknown(cause);
      });
    // A COMMIT without an answer may still be on its way, unless another conversation has the id.
    if (!row) throw unknown(error.error);
    if (row['birth'] !== birth) throw error.error;
  }
}

async function conceive(query: Query, id: string, birth: string, columns: readonly unknown[]): Promise<number> {
  const [row] = await query('SELECT @.conceive($1, $2, $3) AS key', [id, birth, columns]);
  if (row?.['key'] === null || row?.['key'] === undefined) throw existsAlready(id);
  return Number(row['key']);
}

/** Stores consecutive commits in the log of a conversation that no other transaction sees yet. */
async function insert(query: Query, key: number, commits: readonly Commit[]): Promise<void> {
  const [first, last] = [commits[0] as Commit, commits.at(-1) as Commit];
  const bodies = commits.map(toBody);
  await query('SELECT @.insert_commits($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
    key,
    first.epoch,
    first.seq,
    first.firstEvent,
    commits.map(({ id }) => toIdKey(id)),
    commits.map(({ events }) => events.length),
    commits.map((commit, at) => crcOf(commit, bodies[at] as Buffer, key)),
    bodies.map(({ length }) => length),
    Buffer.concat(bodies),
    commits.flatMap(({ events }) => events.map(({ id }) => toIdKey(id))),
  ]);
  await query('UPDATE @.heads SET next_seq = $2, next_event = $3 WHERE key = $1', [
    key,
    last.seq + 1,
    last.firstEvent + last.events.length,
  ]);
}

function crcOf({ seq, epoch, firstEvent, events }: Commit, body: Buffer, log: number): number {
  return commitCrc(body, { log, seq, epoch, firstEvent, events: events.length });
}

/** Splits commits into batches of one epoch and a limited number of bytes. */
function* batches(commits: readonly Commit[]): Generator<readonly Commit[]> {
  let batch: Commit[] = [];
  let bytes = 0;
  for (const commit of commits) {
    const { length } = toBody(commit);
    if (batch.length > 0 && (batch[0]?.epoch !== commit.epoch || bytes + length > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(commit);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}
