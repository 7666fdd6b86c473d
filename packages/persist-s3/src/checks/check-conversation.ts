import { projections } from '@conv/core';
import { type CheckOptions, type CheckResult, type Finding, type JournalReader, type Snapshot } from '@conv/core/store';
import { checkJournal, isOtherSnapshot } from '@conv/store-kit';
import { S3Journal } from '../ownership/journal.ts';
import { firstLine } from '../objects/line.ts';
import { snapshotKey } from '../bucket/object-keys.ts';
import type { S3Reader, StoreContext } from '../log/reader.ts';
import { restoreFromSlots } from './restore-packs.ts';
import { saysTheSame, summaryOf } from '../objects/summary.ts';

/**
 * Reads every record of a conversation, and compares the snapshot and the summary with the log. `repair` needs a `reader` that
 * owns the conversation. It restores lost commits of packs from the slots that those packs were made of.
 */
export async function checkConversation(
  context: StoreContext,
  reader: S3Reader,
  { repair = false, ...options }: CheckOptions,
): Promise<CheckResult> {
  const restored = repair ? await restoreFromSlots(context, reader) : [];
  const log = await checkJournal(reader, options);
  const findings = [...restored, ...log.findings, ...(await checkSnapshot(context, reader, repair))];
  const isComparable = reader.end.seq > 0 && reader.damage.length === 0;
  if (isComparable) findings.push(...(await checkSummary(reader, repair)));
  return { ...log, findings };
}

/** Checks the snapshot. It is a cache, so a repair removes a wrong one and the state is folded from the log. */
async function checkSnapshot({ bucket }: StoreContext, reader: S3Reader, repair: boolean): Promise<Finding[]> {
  const key = snapshotKey(reader.log);
  const object = await bucket.get(key);
  if (!object) return [];
  const text = firstLine(object.bytes)?.text;
  if (text !== undefined && !(await isOtherSnapshot(reader, JSON.parse(text) as Snapshot))) return [];
  if (repair) await bucket.remove([key]);
  const what = text === undefined ? 'does not have its checksum' : 'is of another conversation';
  const message = `the snapshot ${what}; the state is folded from the log`;
  return [{ part: 'snapshot', severity: 'damaged', message, repaired: repair }];
}

/**
 * Compares the summary with the log. The summary may be behind while another process writes. It must be up to date at the end of
 * a log that was given up, or that this process owns.
 */
async function checkSummary(reader: S3Reader, repair: boolean): Promise<Finding[]> {
  const { summary, clean } = reader.seen.manifest;
  if (!clean && !repair) return [];
  const { fields } = await fold(reader);
  if (saysTheSame(summary, summaryOf(fields, summary.seq, 0))) return [];
  const repaired = repair && reader instanceof S3Journal;
  if (repaired) await reader.restate(fields);
  const message = 'its entry in lists differs from its log';
  return [{ part: 'summary', severity: 'stale', message, repaired }];
}

async function fold(reader: JournalReader): Promise<typeof projections.empty> {
  let projection = projections.empty;
  for await (const commit of reader.commits()) projection = await projections.foldCommit(reader, projection, commit);
  return projection;
}
