import { createHash } from 'node:crypto';

import type { StateFields } from '@conv/core';

import type { Position } from './webhook-positions.ts';

/** Returns a digest of the part of a state that receivers get. A conversation at rest is sent again after each of its events. */
export function stateDigest({ executionStatus, title }: StateFields, { event }: Position): string {
  return digestOf([executionStatus, title, executionStatus === 'running' ? null : event]);
}

/** Returns a short digest of the JSON of a value. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
