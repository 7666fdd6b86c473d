import { initialFields, projections } from '@conv/core';
import { toConversationId, type CheckOptions, type CheckResult, type Commit, type Finding } from '@conv/core/store';
import { isSameJson } from '@conv/core/platform';
import {
  checkCommits,
  columnsIn,
  keptIn,
  keptText,
  settingsText,
  type Incomplete,
  type SummaryColumns,
} from '@conv/store-kit';
import type { Database } from './database.ts';
import { findHead, mend } from './find-head.ts';
import { toIdKey } from './id-key.ts';
import type { PostgresReader } from './reader.ts';
import { snapshotCrc } from './snapshot-crc.ts';
import { SUMMARY_COLUMNS, toColumns } from './summary.ts';
import { settleStrays } from './strays.ts';
import { unindexed } from './unindexed.ts';

/** Checks the row of a conversation; `repair` rewrites it from the log. `undefined`: there is no conversation. */
export async function checkRows(
  database: Database,
  id: string,
  repair: boolean,
): Promise<readonly Finding[] | undefined> {
  const head = await findHead(database, id);
  if (!head) return undefined;
  const findings: Finding[] = [];
  if (head.problem !== undefined) {
    const message = `the row of conversation ${id} in heads ${head.problem}; its log ends at commit ${head.end.seq}`;
    findings.push(finding('end', message, repair && (await mend(database, id, head))));
  }
  if (head.hasStrays) {
    const restored = repair ? await settleStrays(database, head.key, head.end.seq) : [];
    const back = restored.length > 0 ? `; ${restored.join(', ')} were put back` : '';
    findings.push(finding('log', `commits are stored after the end of the log, at ${head.end.seq}${back}`, repair));
  }
  return findings;
}

/** Compares index, snapshot and summary with the log. `repair` needs a `reader` that owns the conversation. */
export async function checkRecords(
  database: Database,
  reader: PostgresReader,
  { repair = false, ...options }: CheckOptions,
): Promise<CheckResult> {
  let fields = initialFields;
  const indexed: Finding[] = [];
  const log = await checkCommits(reader, options, async (commit, behind) => {
    fields = behind;
    indexed.push(...(await checkIds(database, reader, commit, repair)));
  });
  const findings = [...log.findings, ...indexed, ...(await checkSnapshot(database, reader, repair))];
  findings.push(...(await checkKept(database, reader, repair)), ...(await checkIndexEnd(database, reader)));
  // A lost commit may have changed the summary, so a damaged log proves nothing against the row.
  const isWhole = reader.damage.length === 0 && log.findings.every(({ severity }) => severity === 'known');
  const isComparable = reader.end.seq > 0 && isWhole;
  if (isComparable) findings.push(...(await checkSummary(database, reader, toColumns(fields), repair)));
  return { ...log, findings };
}

/** Finds the conversations that are not listed, the listed ones without their row, and the logs of conversations without both. */
export async function findIncomplete(database: Database): Promise<readonly Incomplete[]> {
  const rows = await database.run(
    `SELECT coalesce(h.id, c.id)::text AS id, h.key IS NULL AS lost FROM @.heads h
     FULL JOIN @.summaries c ON c.key = h.key AND c.id = h.id WHERE h.key IS NULL OR c.key IS NULL`,
    [],
  );
  const unlisted = rows.map((row) => {
    const [id, what] = [
      String(row['id']),
      row['lost'] === true ? 'is listed, and its row in heads is not there' : 'is not listed',
    ];
    return { id, part: 'summary', message: `conversation ${id} ${what}: check it with repair` };
  });
  return [...unlisted, ...(await lostLogs(database))];
}

/** Finds the logs to which no row leads. A deletion removes a log, or records that forks still read it. Reads one row of each log. */
async function lostLogs(database: Database): Promise<readonly Incomplete[]> {
  const rows = await database.run(
    `WITH RECURSIVE logs AS (
       SELECT min(log) AS log FROM @.commits
       UNION ALL SELECT (SELECT min(log) FROM @.commits c WHERE c.log > l.log) FROM logs l WHERE l.log IS NOT NULL
     )
     SELECT log::text AS log, (SELECT body FROM @.commits c WHERE c.log = l.log ORDER BY seq LIMIT 1) AS body FROM logs l
     WHERE log IS NOT NULL AND NOT EXISTS (SELECT FROM @.heads h WHERE h.key = l.log)
       AND NOT EXISTS (SELECT FROM @.summaries s WHERE s.key = l.log) AND NOT EXISTS (SELECT FROM @.removed_logs r WHERE r.log = l.log)`,
    [],
  );
  const logs = rows.map(({ log, body }) => ({ log: String(log), id: statedId(String(body)) }));
  const found = await database.run('SELECT id::text AS id FROM @.heads WHERE id = ANY($1::uuid[])', [
    logs.flatMap(({ id }) => id ?? []),
  ]);
  const present = new Set(found.map((row) => row['id']));
  return logs.map(({ log, id }) => {
    const whose = id === undefined ? 'a conversation' : `conversation ${id}`;
    const message = `the rows of ${whose} in heads and summaries are not there, and its log ${log} is: put them back from a backup`;
    if (!present.has(id)) return { id, part: 'log', message };
    // The conversation of this id that is there now is whole, and no repair of it brings the earlier one back.
    return {
      id: undefined,
      part: 'log',
      message: `${message}, in a database of its own: another conversation has the id now`,
    };
  });
}

/** Returns the id that the first commit of a log states; `undefined` if it is damaged. */
function statedId(body: string): string | undefined {
  try {
    const { patch } = JSON.parse(body) as Pick<Commit, 'patch'>;
    return toConversationId(String(patch?.set?.['id']));
  } catch {
    return undefined;
  }
}

async function checkIds(
  database: Database,
  reader: PostgresReader,
  commit: Commit,
  repair: boolean,
): Promise<readonly Finding[]> {
  const { log } = reader.spans.find(({ endSeq }) => commit.seq < endSeq) ?? { log: reader.key };
  const findings: Finding[] = [];
  for (const { id, event } of await unindexed(database, log, [commit])) {
    const sql =
      'INSERT INTO @.event_ids (log, id, event) VALUES ($1, $2, $3) ON CONFLICT (log, id) DO UPDATE SET event = excluded.event';
    if (repair) await database.run(sql, [log, toIdKey(id), event]);
    findings.push(finding('index', `event ${event} is not found by its id ${id}`, repair));
  }
  return findings;
}

/** Finds events in the index after the end of the log, whose commits are lost. No other record may tell of them (decision 83). */
async function checkIndexEnd(database: Database, { key, end }: PostgresReader): Promise<readonly Finding[]> {
  // Both are read in a single statement, so that a commit made meanwhile counts in both or in neither.
  const [row] = await database.run(
    `SELECT h.next_seq, (SELECT max(event) FROM @.event_ids WHERE log = h.key) AS last FROM @.heads h WHERE h.key = $1`,
    [key],
  );
  if (!row || row['last'] === null || Number(row['next_seq']) > end.seq || Number(row['last']) < end.event) return [];
  const message =
    `the index has events up to number ${Number(row['last'])}, and the log ends before event ${end.event}: ` +
    'its newest commits are lost; take the conversation from a backup';
  return [{ part: 'end', severity: 'lost', message, repaired: false }];
}

async function checkSnapshot(database: Database, reader: PostgresReader, repair: boolean): Promise<readonly Finding[]> {
  const { key, end } = reader;
  const [row] = await database.run('SELECT seq, version, data, crc FROM @.snapshots WHERE key = $1', [key]);
  // A snapshot of an older schema version has no check value; readers ignore it, and it is created again.
  if (!row || row['crc'] === null) return [];
  const isWhole = snapshotCrc(row) === row['crc'];
  if (isWhole && (Number(row['seq']) > end.seq || (await reader.snapshot()))) return [];
  if (repair) await database.run('DELETE FROM @.snapshots WHERE key = $1', [key]);
  const what = isWhole ? 'is of another conversation' : 'does not have its checksum';
  return [finding('snapshot', `the snapshot ${what}; the state is folded from the log`, repair)];
}

/** Checks the copy of the settings. A repair copies the settings that the log tells. */
async function checkKept(database: Database, reader: PostgresReader, repair: boolean): Promise<readonly Finding[]> {
  const { id, key } = reader;
  const [row] = await database.run('SELECT kept FROM @.summaries WHERE key = $1', [key]);
  const kept = row?.['kept'] ?? null;
  if (kept === null || keptIn(kept, id).length > 0) return [];
  if (repair) {
    const { end, fields } = await projections.readState(reader);
    await database.run('SELECT @.keep($1, $2)', [key, keptText(end.seq, settingsText(fields, id))]);
  }
  return [finding('summary', 'the copy of its settings is damaged, or of another conversation', repair)];
}

async function checkSummary(
  database: Database,
  { id, key, end }: PostgresReader,
  expected: SummaryColumns,
  repair: boolean,
): Promise<readonly Finding[]> {
  const [row] = await database.run(
    `SELECT ${SUMMARY_COLUMNS}, h.next_seq FROM (SELECT $1::bigint AS key) k
     LEFT JOIN @.heads h ON h.key = k.key LEFT JOIN @.summaries c ON c.key = k.key`,
    [key],
  );
  // The conversation was written meanwhile, or deleted.
  if (!row || row['next_seq'] === null || Number(row['next_seq']) > end.seq) return [];
  const isListed = row['id'] !== null;
  if (row['id'] === id && isSameJson(columnsIn(row), expected)) return [];
  const sql = `WITH old AS (DELETE FROM @.summaries WHERE id = $2 AND key <> $1)
    INSERT INTO @.summaries (key, id, title, status, created_at, updated_at, tags, parent_id, forked_from)
    VALUES ($1, $2, $3, $4, $5, date_trunc('milliseconds', clock_timestamp()), $6, $7, $8)
    ON CONFLICT (key) DO UPDATE SET title = excluded.title, status = excluded.status, created_at = excluded.created_at,
      tags = excluded.tags, parent_id = excluded.parent_id, forked_from = excluded.forked_from, id = excluded.id`;
  if (repair) await database.run(sql, [key, id, ...expected]);
  const message = isListed ? 'its entry in lists differs from its log' : 'it is not listed';
  return [{ part: 'summary', severity: 'stale', message, repaired: repair }];
}

function finding(part: string, message: string, repaired: boolean): Finding {
  return { part, severity: 'damaged', message, repaired };
}
