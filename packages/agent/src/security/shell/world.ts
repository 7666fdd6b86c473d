import type { Listening } from '../facts/addresses.ts';
import type { Surroundings } from '../facts/places.ts';
import type { ProtectedNames } from '../facts/private-files.ts';

/** The world of a shell, as far as verdicts depend on it. */
export interface World extends Surroundings {
  readonly listening: readonly Listening[];
  readonly guarded: ProtectedNames;
}
