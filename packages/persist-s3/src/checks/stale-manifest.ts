import { StoreError, type Finding } from '@conv/core/store';
import { findEnd } from '../log/find-end.ts';
import { goesOn } from '../log/known-ends.ts';
import { LogObjects } from '../log/log-objects.ts';
import { presentManifest } from '../ownership/lost-manifest.ts';
import { replaceManifest, type Manifest, type StoredManifest } from '../objects/manifest.ts';
import type { StoreContext } from '../log/reader.ts';

/** Finds the manifest of a closed log that has newer slots, as a restore of older objects leaves it. */
export async function checkAge(
  context: StoreContext,
  stored: StoredManifest,
  repair: boolean,
): Promise<readonly Finding[]> {
  const { bucket, keys, cache } = context;
  const { manifest } = stored;
  const { id, instance, end } = manifest;
  const objects = new LogObjects(bucket, cache, keys.log(id, instance));
  if (!manifest.clean || !(await goesOn(objects, manifest))) return [];
  // Invariant: an owner changes the manifest before it writes a slot, so slots after an unchanged manifest are of earlier owners.
  const now = await presentManifest(context, id);
  if (now?.manifest.nonce !== manifest.nonce) return [];
  if (repair && !(await replaceManifest(bucket, keys.manifest(id), stored, await moved(objects, manifest))))
    throw new StoreError('UNAVAILABLE', `${keys.manifest(id)} was changed by another process; check it again`);
  const message = `its manifest is older than its log, which continues after commit ${end.seq - 1}`;
  return [{ part: 'manifest', severity: 'stale', message, repaired: repair }];
}

/** Returns a manifest at the end of its log. It is not `clean`, so the next owner plants a fence after all slots. */
async function moved(objects: LogObjects, manifest: Manifest): Promise<Manifest> {
  const { place, headers } = await findEnd(objects, manifest.end);
  const epoch = Math.max(manifest.epoch, ...headers.map((header) => header.epoch));
  const fences = headers.filter(({ kind }) => kind === 'fence').map(({ slot }) => slot);
  return { ...manifest, epoch, clean: false, end: place, fences: [...new Set([...manifest.fences, ...fences])] };
}
