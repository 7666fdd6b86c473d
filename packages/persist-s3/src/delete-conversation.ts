import { refuseLost } from './lost-manifest.ts';
import { readManifest, LostManifest, replaceManifest, type Manifest } from './manifest.ts';
import { removeLog } from './remove-log.ts';
import { plantFence, refuseOwned, type TakeOverContext } from './take-over.ts';

/**
 * Deletes a conversation: takes it over, so that nobody writes to it any more, and leaves a tombstone in the place of its manifest.
 * What a deletion that broke off has left is removed, too. Rejects `CORRUPT` when its manifest is lost and its log is there.
 */
export async function deleteConversation(parts: TakeOverContext): Promise<void> {
  const { context, id } = parts;
  const { bucket, keys } = context;
  for (;;) {
    const stored = await readManifest(bucket, keys.manifest(id));
    if (!stored) return refuseLost(context, id);
    if (stored.manifest.deleted === 'removed') return;
    const { manifest } = stored;
    if (!manifest.deleted) await refuseOwned(parts, manifest);
    // A deletion that broke off may have done so before its fence was there.
    const { clean, epoch } = manifest;
    const claiming: Manifest = { ...manifest, epoch: epoch + 1, owner: null, deleted: 'removing' };
    try {
      const current = await replaceManifest(bucket, keys.manifest(id), stored, claiming);
      const made = current && (clean ? { fences: manifest.fences } : await plantFence(parts, current, false));
      if (!made) continue;
      const fenced = await replaceManifest(bucket, keys.manifest(id), current, {
        ...current.manifest,
        fences: made.fences,
        clean: true,
        packs: [],
        replaced: [],
      });
      if (fenced && (await removeLog(context, fenced))) return;
    } catch (error) {
      throw error instanceof LostManifest ? error.cause : error;
    }
  }
}
