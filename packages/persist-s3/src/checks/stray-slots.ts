import type { Finding } from '@conv/core/store';
import type { ListedObject } from '../bucket/bucket.ts';
import { LogObjects, MISPLACED } from '../log/log-objects.ts';
import { presentManifest } from '../ownership/lost-manifest.ts';
import type { Manifest } from '../objects/manifest.ts';
import { slotOf } from '../bucket/object-keys.ts';
import { sparesOtherVersions } from '../bucket/prove-conditions.ts';
import type { StoreContext } from '../log/reader.ts';

/**
 * Finds misplaced slots after the end of a log, as a restore to a wrong place leaves them. No owner has written so far, so no commit is
 * lost. `repair` removes these objects where the service can bind a removal to a version. An owner skips such an object, but after a crash right before it the object is at the end of the
 * log, where it counts as a lost commit.
 */
export async function checkStrays(context: StoreContext, id: string, repair: boolean): Promise<readonly Finding[]> {
  const stored = await presentManifest(context, id);
  if (!stored) return [];
  const { bucket, cache, keys } = context;
  const objects = new LogObjects(bucket, cache, keys.log(id, stored.manifest.instance));
  const findings: Finding[] = [];
  const strays = await behindEnd(context, objects, stored.manifest);
  const removes = repair && strays.length > 0 && (await sparesOtherVersions(bucket, keys));
  const left =
    repair && !removes ? ': this service has no conditional deletes, so delete it yourself while no server runs' : '';
  for (const stray of strays) {
    // Another repair may have removed it, and an owner may have written there since: only this version is removed.
    if (removes) await bucket.removeVersion(stray);
    const message = `${stray.key} is after the end of its log, and its header names another slot${left}`;
    findings.push({ part: 'log', severity: 'damaged', message, repaired: removes });
  }
  return findings;
}

/** Resolves with the misplaced slots that are surely after the log: it was closed before them, or a free slot separates them from it. */
async function behindEnd(
  { bucket }: StoreContext,
  objects: LogObjects,
  { clean, end }: Manifest,
): Promise<readonly ListedObject[]> {
  const later: { readonly slot: number; readonly object: ListedObject }[] = [];
  for await (const page of bucket.list(`${objects.log}slot-`))
    for (const object of page) {
      const slot = slotOf(objects.log, object.key);
      if (slot !== undefined && slot > end.slot) later.push({ slot, object });
    }
  let [reached, isClosed] = [end.slot, clean];
  let strays: ListedObject[] = [];
  for (const { slot, object } of later.toSorted((a, b) => a.slot - b.slot)) {
    const bytes = await objects.slot(slot);
    if (!bytes) continue;
    // A slot in its place proves that the log reaches it, whatever lies before it.
    if (bytes !== MISPLACED) [reached, isClosed, strays] = [slot, false, []];
    else if (isClosed || strays.length > 0 || slot > reached + 1) strays.push(object);
    else reached = slot;
  }
  return strays;
}
