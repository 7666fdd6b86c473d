import { toCommitSeq, type Commit, type Finding } from '@conv/core/store';
import { readCommit } from '@conv/store-kit';
import { S3Journal } from '../ownership/journal.ts';
import { linesOf } from '../objects/line.ts';
import type { Pack } from '../objects/manifest.ts';
import { packLines } from '../log/packer.ts';
import type { S3Reader, StoreContext } from '../log/reader.ts';
import { decodeSlot } from '../objects/slot.ts';

/** Rewrites packs that have lost commits from their slots. Only the owner's journal may change the manifest. */
export async function restoreFromSlots(context: StoreContext, reader: S3Reader): Promise<Finding[]> {
  if (!(reader instanceof S3Journal)) return [];
  const findings: Finding[] = [];
  for (const pack of reader.seen.manifest.packs) {
    const lines = await linesOfPack(reader, pack);
    const missing = numbers(pack).filter((seq) => !lines.has(seq));
    if (missing.length === 0) continue;
    for (const [seq, line] of await fromSlots(reader, pack)) if (!lines.has(seq)) lines.set(seq, line);
    const back = missing.filter((seq) => lines.has(seq));
    if (back.length === 0) continue;
    const ordered = numbers(pack).flatMap((seq) => lines.get(seq) ?? []);
    const from = { slot: 0, seq: pack.seq, event: pack.event };
    const to = { slot: 0, seq: pack.toSeq, event: pack.toEvent };
    await reader.replacePack(pack, await packLines(context.bucket, reader.log, ordered, from, to));
    const message = `${pack.name} had lost commits ${back.join(', ')}, which its slots hold`;
    findings.push({ part: 'log', severity: 'damaged', message, repaired: true });
  }
  return findings;
}

function numbers({ seq, toSeq }: Pack): readonly number[] {
  return Array.from({ length: toSeq - seq }, (_, at) => seq + at);
}

async function linesOfPack(reader: S3Reader, pack: Pack): Promise<Map<number, Buffer>> {
  const bytes = await reader.objectsOfLog.pack(pack);
  return wholeLines(bytes?.subarray(0, pack.body) ?? Buffer.alloc(0), pack);
}

async function fromSlots(reader: S3Reader, pack: Pack): Promise<ReadonlyMap<number, Buffer>> {
  const found = new Map<number, Buffer>();
  for (let slot = 1; slot <= reader.seen.manifest.packed.slot; slot++) {
    const bytes = await reader.objectsOfLog.slot(slot);
    if (!bytes) continue;
    for (const [seq, line] of wholeLines(decodeSlot(bytes).body, pack)) found.set(seq, line);
  }
  return found;
}

/** Returns the undamaged lines of a pack's commits, by commit number. */
function wholeLines(bytes: Buffer, { seq: from, toSeq }: Pack): Map<number, Buffer> {
  const lines = new Map<number, Buffer>();
  for (const { text, start, end } of linesOf(bytes)) {
    if (text === undefined) continue;
    const { seq } = readCommit(text) satisfies Commit;
    if (seq >= toCommitSeq(from) && seq < toSeq) lines.set(seq, bytes.subarray(start, end));
  }
  return lines;
}
