import type { Snapshot } from '@conv/core/store';
import type { Bucket } from '../bucket/bucket.ts';
import { encodeLine, firstLine } from './line.ts';
import { snapshotKey } from '../bucket/object-keys.ts';

/** Writes a snapshot in the place of the one before. */
export async function writeSnapshot(bucket: Bucket, log: string, { seq, version, data }: Snapshot): Promise<void> {
  await bucket.put(snapshotKey(log), encodeLine(JSON.stringify({ v: 1, seq, version, data })), 'always');
}

/** Reads the snapshot; resolves `undefined` when it is missing, damaged or ahead of a log that ends at `end`. */
export async function readSnapshot(bucket: Bucket, log: string, end: number): Promise<Snapshot | undefined> {
  const object = await bucket.get(snapshotKey(log));
  const text = object && firstLine(object.bytes)?.text;
  if (text === undefined) return undefined;
  const { seq, version, data } = JSON.parse(text) as Snapshot;
  return seq <= end ? { seq, version, data } : undefined;
}
