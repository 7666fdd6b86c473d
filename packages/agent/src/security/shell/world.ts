import type { Listening } from '../addresses.ts';
import type { Surroundings } from '../places.ts';
import type { ProtectedNames } from '../private-files.ts';

/** The world of a shell, as far as verdicts depend on it. */
export interface World extends Surroundings {
  readonly listening: readonly Listening[];
  readonly guarded: ProtectedNames;
}
