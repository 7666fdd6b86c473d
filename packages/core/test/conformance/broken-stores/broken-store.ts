import type { StoreUnderTest } from '../../../src/conformance/index.ts';
import type { Commit, CommitRange, JournalReader } from '../../../src/store/index.ts';
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

/** Replaces `commits` by what `change` makes of each commit; `undefined` leaves it out. */
export function changeCommits(
  reader: JournalReader,
  change: (commit: Commit) => Commit | undefined,
): Pick<JournalReader, 'commits'> {
  return {
    async *commits(range?: CommitRange) {
      for await (const commit of reader.commits(range)) {
        const changed = change(commit);
        if (changed) yield changed;
      }
    },
  };
}

/** `object` without one of its members. */
export function without<T extends object, Key extends keyof T>(object: T, key: Key): Omit<T, Key> {
  const rest: Partial<T> = { ...object };
  delete rest[key];
  return rest as Omit<T, Key>;
}
