import type { Breakage } from './broken/breakage.ts';

/** Plan of a server process. Handed over as JSON. */
export interface ServerPlan {
  readonly directory: string;
  readonly seed: number;
  readonly legacy: boolean;
  readonly breakage: Breakage | null;
}
