import type { Finding } from '@conv/core/store';
import { LogObjects, MISPLACED } from './log-objects.ts';
import { presentManifest } from './lost-manifest.ts';
import { slotKey, slotOf } from './object-keys.ts';
import type { StoreContext } from './reader.ts';

/**
 * Finds misplaced slots behind a free slot, as a restore to a wrong place leaves them. No owner has written so far, so no commit is lost.
 * `repair` removes these objects before the log reaches their places, where they would count as lost commits.
 */
export async function checkStrays(context: StoreContext, id: string, repair: boolean): Promise<readonly Finding[]> {
  const stored = await presentManifest(context, id);
  if (!stored) return [];
  const { bucket, cache, keys } = context;
  const { instance, end } = stored.manifest;
  const objects = new LogObjects(bucket, cache, keys.log(id, instance));
  const findings: Finding[] = [];
  for (const slot of await behindGap(context, objects, end.slot)) {
    const key = slotKey(objects.log, slot);
    // The bucket refuses every write of an owner at this place while the object is there.
    if (repair) await bucket.remove([key]);
    const message = `${key} is behind the end of its log, and says itself that it is the copy of another slot`;
    findings.push({ part: 'log', severity: 'damaged', message, repaired: repair });
  }
  return findings;
}

/** Resolves with the numbers of misplaced slots that a free slot separates from the log, which reaches the slot `end` at least. */
async function behindGap({ bucket }: StoreContext, objects: LogObjects, end: number): Promise<readonly number[]> {
  const later: number[] = [];
  for await (const page of bucket.list(`${objects.log}slot-`))
    for (const { key } of page) {
      const slot = slotOf(objects.log, key);
      if (slot !== undefined && slot > end) later.push(slot);
    }
  let reached = end;
  let separated: number[] = [];
  for (const slot of later.toSorted((a, b) => a - b)) {
    const bytes = await objects.slot(slot);
    if (!bytes) continue;
    // A slot in its place proves that the log reaches it, whatever lies before it.
    if (bytes !== MISPLACED) [reached, separated] = [slot, []];
    else if (slot > reached + 1 || separated.length > 0) separated.push(slot);
    else reached = slot;
  }
  return separated;
}
