import type { Hosts } from '@conv/egress';

import type { Limits } from './limits.ts';

/** The paths and networks that programs inside reach, and how much they may use. All paths but those of `protect` are absolute. */
export interface Rules {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hide: readonly string[];
  /** Paths in the workspace that are read-only. */
  readonly protect: readonly string[];
  /** Hosts: no others are reached. */
  readonly network: 'open' | 'closed' | Hosts;
  /** The folder for homes and temporary files. */
  readonly directory: string;
  /** True if caches of package managers are kept for the workspace. */
  readonly caches: boolean;
  /** True if programs know the name with which the user commits. */
  readonly gitIdentity: boolean;
  readonly limits: Limits;
}
