import type { Attempt } from './attempt.ts';
import { REACHING } from './reaching.ts';
import { READING } from './reading.ts';
import { WRITING } from './writing.ts';

/** All attempts that this user can make on this machine. */
export const ATTEMPTS: readonly Attempt[] = [...READING, ...WRITING, ...REACHING].filter(
  ({ root }) => root !== true || process.getuid?.() === 0,
);
