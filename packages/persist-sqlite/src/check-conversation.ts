import { initialFields } from '@conv/core';
import { type CheckOptions, type CheckResult, type Finding } from '@conv/core/store';
import { isSameJson } from '@conv/core/platform';
import { checkCommits, columnsIn, summaryColumns } from '@conv/store-kit';
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
