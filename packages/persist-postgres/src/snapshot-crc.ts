import { textCrc } from './commit-body.ts';
import type { Row } from './postgres-pool.ts';

/** Returns the check value of a snapshot, over its numbers and its text. */
export function snapshotCrc(row: Row): number {
  return textCrc([row['seq'], row['version'], row['data']].join(' '));
}
