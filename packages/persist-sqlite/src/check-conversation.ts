import { isDeepStrictEqual } from 'node:util';
import { emptyProjection, foldCommit } from '@conv/core';
import { checkCommits, type CheckOptions, type CheckResult, type Finding } from '@conv/core/store';
import { toSummary } from './commit-body.ts';
import type { DatabaseThread } from './database-thread.ts';
import type { SqliteReader } from './reader.ts';

/**
 * Reads every record of a conversation, and compares the index, the row and the summary with the log. `repair` needs a `reader`
 * that owns the conversation.
 */
export async function checkConversation(
  reader: SqliteReader,
  thread: DatabaseThread,
  { repair = false, ...options }: CheckOptions,
): Promise<CheckResult> {
  const { key, end } = reader;
  let projection = emptyProjection;
  const spans = await thread.call('checkSpans', { key, repair });
  const log = await checkCommits(reader, options, async (commit) => {
    projection = await foldCommit(reader, projection, commit);
  });
  const findings: Finding[] = [...spans, ...log.findings];
  for (let from = 0; from < end.seq;) {
    options.signal?.throwIfAborted();
    const part = await thread.call('checkIds', { key, from, repair });
    findings.push(...part.findings);
    from = part.next;
  }
  findings.push(...(await thread.call('checkRow', { key, repair, seq: end.seq, event: end.event })));
  // A lost commit may have changed the summary, so a damaged log proves nothing against the row.
  const isComparable = end.seq > 0 && log.findings.length === 0;
  const expected = toSummary(projection.fields);
  const kept = isComparable ? await thread.call('summaryOf', { key, seq: end.seq }) : undefined;
  if (kept && !isDeepStrictEqual(kept, expected)) {
    if (repair) await thread.call('rewriteSummary', { key, summary: expected });
    const message = 'its entry in lists differs from its log';
    findings.push({ part: 'summary', severity: 'stale', message, repaired: repair });
  }
  return { ...log, findings };
}
