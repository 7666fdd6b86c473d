import type { StoreUnderTest } from '../../src/index.ts';
import { shareMemory, type Flaw } from '../broken-stores/shared-store.ts';

/** A store that an implementer would believe to be right. At least one case of the suite must fail on it. */
export interface SubtleStore {
  readonly flaw: string;
  readonly make: () => Promise<StoreUnderTest>;
}

/** Describes the flaw; `flaw` is called for each backend, so that a flaw may remember things. */
export function subtle(description: string, flaw: () => Flaw): SubtleStore {
  return { flaw: description, make: async () => shareMemory(flaw()) };
}
