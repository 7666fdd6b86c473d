import { slotKey } from './object-keys.ts';
import { replaceManifest, type StoredManifest } from './manifest.ts';
import type { StoreContext } from './reader.ts';

/**
 * Removes what a deleted conversation has left, but for the slots in which owners that were taken over from find that they were.
 * Resolves with its tombstone; `undefined` when somebody else has changed that meanwhile.
 */
export async function removeLog(
  { bucket, keys }: StoreContext,
  stored: StoredManifest,
): Promise<StoredManifest | undefined> {
  const { manifest } = stored;
  if (manifest.deleted !== 'removing') return stored;
  const { id, instance, fences } = manifest;
  const log = keys.log(id, instance);
  const kept = new Set(fences.map((slot) => slotKey(log, slot)));
  for await (const page of bucket.list(log)) {
    const keysOfPage = page.map(({ key }) => key).filter((key) => !kept.has(key));
    if (keysOfPage.length > 0) await bucket.remove(keysOfPage);
  }
  return replaceManifest(bucket, keys.manifest(id), stored, { ...manifest, deleted: 'removed' });
}
