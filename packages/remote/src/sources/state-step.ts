import type { Projection } from '@conv/core';
import type { Commit } from '@conv/core/store';

/** A state, and the events that made it so. */
export interface Step {
  readonly projection: Projection;
  readonly commit?: Commit;
}
