import { refuseLost } from './lost-manifest.ts';
import { asUnknown } from '../bucket/lost-answer.ts';
import { readManifest, replaceManifest, type Manifest } from '../objects/manifest.ts';
import { removeLog } from '../log/remove-log.ts';
import { plantFence, refuseOwned, type TakeOverContext } from './take-over.ts';

/**
 * Deletes a conversation: takes it over, so that its last owner is fenced, and leaves a tombstone in the place of its manifest.
 * Completes a deletion that broke off. Rejects `CORRUPT` when the manifest is lost but the log is there.
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
    // Raise the epoch even over `removing`, because a deletion may break off before it has planted its fence.
    const { clean, epoch } = manifest;
    const claiming: Manifest = { ...manifest, epoch: epoch + 1, owner: null, deleted: 'removing' };
    const current = await replaceManifest(bucket, keys.manifest(id), stored, claiming).catch((error: unknown) => {
      throw asUnknown(error, `conversation ${id}: whether it was deleted is not known; delete it again`);
    });
    const made = current && (clean ? { fences: manifest.fences } : await plantFence(parts, current, false));
    if (!made) continue;
    // Invariant: no owner of a lower epoch can append from here on. Record the fences before the objects go, so that
    // `removeLog` keeps them.
    const { fences } = made;
    const emptied: Manifest = { ...current.manifest, fences, clean: true, packs: [], replaced: [] };
    const fenced = await replaceManifest(bucket, keys.manifest(id), current, emptied);
    if (fenced && (await removeLog(context, fenced))) return;
  }
}
