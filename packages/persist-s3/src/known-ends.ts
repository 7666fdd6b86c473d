import { snapshotKey } from './object-keys.ts';
import type { Bucket } from './bucket.ts';
import { findEnd, type FoundEnd } from './find-end.ts';
import { firstLine } from './line.ts';
import type { LogObjects } from './log-objects.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { Place } from './place.ts';
import { isSealed } from './sealed-json.ts';
import type { Snapshot } from '@conv/core/store';

/** How far a log was acknowledged, as the sign of life of its owner says. */
export interface KnownEnd extends Place {
  readonly id: string;
  readonly instance: string;
}

/** The question of {@link acknowledgedEnd}. */
export interface KnownEndContext {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
}

/**
 * How far a log was acknowledged as far as anything beside it says: its manifest, or the sign of life of the store that owned it last.
 * So the newest commits that are lost are named, because no slot follows that would tell of them.
 */
export async function acknowledgedEnd({ bucket, keys }: KnownEndContext, manifest: Manifest): Promise<Place> {
  if (manifest.clean || !manifest.owner) return manifest.end;
  const object = await bucket.get(keys.sign(manifest.owner.server));
  const known =
    object && endsIn(object.bytes).find(({ id, instance }) => id === manifest.id && instance === manifest.instance);
  if (!known || known.slot <= manifest.end.slot) return manifest.end;
  const { slot, seq, event } = known;
  return { slot, seq, event };
}

/** Finds where a log ends that is known to go to `known`; at least where its snapshot says that it went. */
export async function findWholeEnd(
  bucket: Bucket,
  objects: LogObjects,
  known: Place,
  options: Parameters<typeof findEnd>[2] = {},
): Promise<FoundEnd> {
  const found = await findEnd(objects, known, options);
  const snapshot = await snapshotEnd(bucket, objects.log);
  if (!snapshot || snapshot.seq <= found.place.seq) return found;
  // It may have been saved meanwhile, with the slots before it.
  const again = await findEnd(objects, found.place, options);
  const { place } = again;
  const headers = [...found.headers, ...again.headers];
  if (snapshot.seq <= place.seq) return { place, headers };
  return { place: { slot: place.slot, seq: snapshot.seq, event: Math.max(place.event, snapshot.event) }, headers };
}

/** The ends in a sign of life; none in one that is damaged. */
export function endsIn(bytes: Buffer): readonly KnownEnd[] {
  if (!isSealed(bytes)) return [];
  return (JSON.parse(bytes.toString()) as { readonly ends?: readonly KnownEnd[] }).ends ?? [];
}

/** How far the log went when its snapshot was saved. */
async function snapshotEnd(bucket: Bucket, log: string): Promise<{ seq: number; event: number } | undefined> {
  const object = await bucket.get(snapshotKey(log));
  const text = object && firstLine(object.bytes)?.text;
  if (text === undefined) return undefined;
  const { seq, data } = JSON.parse(text) as Snapshot;
  const event = data['endEvent'];
  return { seq, event: typeof event === 'number' ? event : 0 };
}
