import { emptyProjection, foldCommit } from '@conv/core';
import { checkJournal, type CheckOptions, type CheckResult, type Finding, type JournalReader } from '@conv/core/store';
import { firstLine } from './line.ts';
import { snapshotKey } from './object-keys.ts';
import type { S3Reader, StoreContext } from './reader.ts';
import { restoreFromSlots } from './restore-packs.ts';
import { saysTheSame, summaryOf } from './summary.ts';

/**
 * Reads every record of a conversation and compares what is made from the log with the log. With `repair`, `reader` owns it, and packs
 * get back from the slots that they were made of what they have lost.
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
  if (isComparable) findings.push(...(await checkSummary(reader)));
  return { ...log, findings };
}

/** A snapshot is a cache: without it the log is folded. */
async function checkSnapshot({ bucket }: StoreContext, { log }: S3Reader, repair: boolean): Promise<Finding[]> {
  const key = snapshotKey(log);
  const object = await bucket.get(key);
  if (!object || firstLine(object.bytes)?.text !== undefined) return [];
  if (repair) await bucket.remove([key]);
  const message = 'the snapshot does not have its checksum; the state is folded from the log';
  return [{ part: 'snapshot', severity: 'damaged', message, repaired: repair }];
}

/** What lists show may be behind while it is written; at the end of a log that was given up it is not. */
async function checkSummary(reader: S3Reader): Promise<Finding[]> {
  const { summary, clean } = reader.seen.manifest;
  if (!clean) return [];
  const { fields } = await fold(reader);
  if (saysTheSame(summary, summaryOf(fields, summary.seq, 0))) return [];
  const message = 'what lists show of it is not what the log comes to; the next commit writes it anew';
  return [{ part: 'summary', severity: 'stale', message, repaired: false }];
}

async function fold(reader: JournalReader): Promise<typeof emptyProjection> {
  let projection = emptyProjection;
  for await (const commit of reader.commits()) projection = await foldCommit(reader, projection, commit);
  return projection;
}
