import { initialFields, projections } from '@conv/core';
import { type CheckOptions, type CheckResult, type Finding } from '@conv/core/store';
import { isSameJson } from '@conv/core/platform';
import { checkCommits, columnsIn, keptIn, keptText, settingsText, summaryColumns } from '@conv/store-kit';
import type { DatabaseThread } from './database-thread.ts';
import type { SqliteReader } from './reader.ts';

/** Compares the index, the row and the summary with the log. `repair` needs a `reader` that owns the conversation. */
export async function checkConversation(
  reader: SqliteReader,
  thread: DatabaseThread,
  { repair = false, ...options }: CheckOptions,
): Promise<CheckResult> {
  const { key, end } = reader;
  let fields = initialFields;
  const spans = await thread.call('checkSpans', key, repair);
  const log = await checkCommits(reader, options, (_, behind) => {
    fields = behind;
  });
  const findings: Finding[] = [...spans, ...log.findings];
  for (let from = 0; from < end.seq;) {
    options.signal?.throwIfAborted();
    const part = await thread.call('checkIds', key, from, repair);
    findings.push(...part.findings);
    from = part.next;
  }
  findings.push(...(await thread.call('checkRow', key, end, repair)));
  findings.push(...(await checkSnapshot(reader, thread, repair)), ...(await checkKept(reader, thread, repair)));
  // A lost commit may have changed the summary, so a damaged log proves nothing against the row.
  const isWhole = reader.damage.length === 0 && log.findings.every(({ severity }) => severity === 'known');
  const isComparable = end.seq > 0 && isWhole;
  const expected = summaryColumns(fields);
  const row = isComparable ? await thread.call('summaryOf', key, end.seq) : undefined;
  if (row && !isSameJson(columnsIn(row), expected)) {
    if (repair) await thread.call('rewriteSummary', key, expected);
    const message = 'its entry in lists differs from its log';
    findings.push({ part: 'summary', severity: 'stale', message, repaired: repair });
  }
  return { ...log, findings };
}

/** Finds a whole snapshot of another conversation. It is a cache, so a repair removes it. */
async function checkSnapshot(reader: SqliteReader, thread: DatabaseThread, repair: boolean): Promise<Finding[]> {
  const stored = await thread.call('snapshot', reader.key, reader.end.seq);
  if (!stored || (await reader.snapshot())) return [];
  if (repair) await thread.call('removeSnapshot', reader.key);
  const message = 'the snapshot is of another conversation; the state is folded from the log';
  return [{ part: 'snapshot', severity: 'damaged', message, repaired: repair }];
}

/**
 * Finds a copy of the settings that is damaged, of another conversation, or missing, as in a row that a repair put back. A repair copies
 * the settings that the log tells.
 */
async function checkKept(reader: SqliteReader, thread: DatabaseThread, repair: boolean): Promise<Finding[]> {
  const { id, key } = reader;
  const copies = await thread.call('kept', key);
  const isMissing = copies.length === 0 && reader.end.seq > 0;
  if (!isMissing && copies.every((text) => keptIn(text, id).length > 0)) return [];
  if (repair) {
    const { end, fields } = await projections.readState(reader);
    await thread.call('rewriteKept', key, keptText(end.seq, settingsText(fields, id)));
  }
  const message = isMissing
    ? 'its row has no copy of its settings'
    : 'the copy of its settings is damaged, or of another conversation';
  return [{ part: 'summary', severity: isMissing ? 'stale' : 'damaged', message, repaired: repair }];
}
