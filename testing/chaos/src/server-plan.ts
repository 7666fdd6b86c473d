import type { Breakage } from './broken/breakage.ts';

/** What a server process is to be. Handed over as JSON. */
export interface ServerPlan {
  readonly directory: string;
  readonly seed: number;
  readonly legacy: boolean;
  readonly breakage: Breakage | null;
}
