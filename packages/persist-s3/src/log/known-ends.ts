import { snapshotKey, type ObjectKeys } from '../bucket/object-keys.ts';
import type { Bucket } from '../bucket/bucket.ts';
import { findEnd, type FoundEnd } from './find-end.ts';
import { isOtherId } from '@conv/store-kit';
import { firstLine } from '../objects/line.ts';
import { MISPLACED, type LogObjects } from './log-objects.ts';
import type { Manifest } from '../objects/manifest.ts';
import type { Place } from '../objects/place.ts';
import { isSealed } from '../objects/sealed-json.ts';
import type { Snapshot } from '@conv/core/store';

/** End of a log as the heartbeat of its owner records it: at least all commits acknowledged before that heartbeat. */
export interface KnownEnd extends Place {
  readonly id: string;
  readonly instance: string;
}

export interface KnownEndContext {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
}

/**
 * Returns the acknowledged end of a log as recorded outside of it: in its manifest, or in the heartbeat of its last owner. If the
 * newest commits are lost, no later slot shows the loss; this record does (docs/decisions/0051-s3-ends.md).
 */
export async function acknowledgedEnd({ bucket, keys }: KnownEndContext, manifest: Manifest): Promise<Place> {
  if (manifest.clean || !manifest.owner) return manifest.end;
  const object = await bucket.get(keys.heartbeat(manifest.owner.server));
  const known =
    object && endsIn(object.bytes).find(({ id, instance }) => id === manifest.id && instance === manifest.instance);
  if (!known || known.slot <= manifest.end.slot) return manifest.end;
  const { slot, seq, event } = known;
  return { slot, seq, event };
}

/**
 * Resolves `true` if a slot follows the end that a manifest records. After a closed log none does, so such a manifest is older than its
 * log: a restore has put it back, or an owner has opened the conversation since it was read. The slots are the newer proof, but for
 * misplaced ones.
 */
export async function goesOn(objects: LogObjects, { end }: Manifest): Promise<boolean> {
  for (let slot = end.slot + 1; ; slot++) {
    const bytes = await objects.slot(slot);
    if (bytes !== MISPLACED) return bytes !== undefined;
  }
}

/** Finds the end of a log as {@link findEnd} does, and never before the end that the snapshot records. */
export async function findWholeEnd(
  { bucket, id }: { readonly bucket: Bucket; readonly id: string },
  objects: LogObjects,
  known: Place,
  options: Parameters<typeof findEnd>[2] = {},
): Promise<FoundEnd> {
  const found = await findEnd(objects, known, options);
  const snapshot = await snapshotEnd(bucket, objects.log, id);
  if (!snapshot || snapshot.seq <= found.place.seq) return found;
  // Look again: the owner may have saved the snapshot, and written the slots before it, since the first look.
  const again = await findEnd(objects, found.place, options);
  const { place } = again;
  const headers = [...found.headers, ...again.headers];
  if (snapshot.seq <= place.seq) return { place, headers };
  return { place: { slot: place.slot, seq: snapshot.seq, event: Math.max(place.event, snapshot.event) }, headers };
}

/** Returns the ends in a heartbeat object, or none if it is damaged. */
export function endsIn(bytes: Buffer): readonly KnownEnd[] {
  if (!isSealed(bytes)) return [];
  return (JSON.parse(bytes.toString()) as { readonly ends?: readonly KnownEnd[] }).ends ?? [];
}

/** Returns the end of the log when its snapshot was saved. A snapshot of another conversation proves nothing. */
async function snapshotEnd(
  bucket: Bucket,
  log: string,
  id: string,
): Promise<{ seq: number; event: number } | undefined> {
  const object = await bucket.get(snapshotKey(log));
  const text = object && firstLine(object.bytes)?.text;
  if (text === undefined) return undefined;
  const { seq, data } = JSON.parse(text) as Snapshot;
  const { endEvent: event, fields } = data as {
    readonly endEvent?: unknown;
    readonly fields?: { readonly id?: unknown };
  };
  if (isOtherId(fields?.id, id)) return undefined;
  return { seq, event: typeof event === 'number' ? event : 0 };
}
