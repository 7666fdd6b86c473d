import { slotKey } from '../bucket/object-keys.ts';
import { replaceManifest, type StoredManifest } from '../objects/manifest.ts';
import type { StoreContext } from './reader.ts';

/**
 * Removes the objects of a deleted conversation, except the slots in which former owners find that they were taken over from.
 * Resolves with the tombstone, or `undefined` when another process has changed it meanwhile.
 */
export async function removeLog(
  { bucket, keys }: StoreContext,
  stored: StoredManifest,
): Promise<StoredManifest | undefined> {
  const { manifest } = stored;
  if (manifest.deleted !== 'removing') return stored;
  const { id, instance, fences, drafts = [] } = manifest;
  const kept = new Set(fences.map((slot) => slotKey(keys.log(id, instance), slot)));
  for (const log of [instance, ...drafts].map((each) => keys.log(id, each)))
    for await (const page of bucket.list(log)) {
      const keysOfPage = page.map(({ key }) => key).filter((key) => !kept.has(key));
      if (keysOfPage.length > 0) await bucket.remove(keysOfPage);
    }
  return replaceManifest(bucket, keys.manifest(id), stored, { ...manifest, deleted: 'removed' });
}
