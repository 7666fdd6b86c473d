import type { DiskUse } from './disk-use.ts';

/**
 * The part of its limit that a container beyond it may take, so that it starts and files can be removed, and the bytes that this is at least, because others write on the
 * disk, too. It is never more than the limit.
 */
const TO_REMOVE = { part: 1 / 8, least: 2 ** 27 } as const;

/** Returns the bytes that a container may write: the rest of its limit, or the part to remove files if nothing is left, or the count is not whole. */
export function leftOf(most: number, { bytes, uncounted }: DiskUse): number {
  const toRemove = Math.min(most, Math.max(most * TO_REMOVE.part, TO_REMOVE.least));
  return uncounted === undefined ? Math.max(most - bytes, toRemove) : toRemove;
}
