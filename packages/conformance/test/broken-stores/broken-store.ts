import type { StoreUnderTest } from '../../src/index.ts';
import { shareMemory, type Flaw } from './shared-store.ts';

/** A store with one flaw, and the name of the one case that finds it. */
export interface BrokenStore {
  readonly caughtBy: string;
  readonly make: () => Promise<StoreUnderTest>;
}

/** Names the case; `flaw` is called for each backend, so that a flaw may remember things. */
export function broken(caughtBy: string, flaw: () => Flaw): BrokenStore {
  return { caughtBy, make: async () => shareMemory(flaw()) };
}

/** `object` without one of its members. */
export function without<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  const rest: Partial<T> = { ...object };
  delete rest[key];
  return rest as Omit<T, Key>;
}
