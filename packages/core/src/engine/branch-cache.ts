import type { JournalReader } from '../contract/store/conversation-store.ts';
import type { BranchState } from './fold/branch.ts';
import { loadBranches } from './fold/fold-journal.ts';
import type { BranchLookup } from './fold/projection.ts';

/** The number of branches that are kept. */
const KEPT = 16;

/**
 * The states of branches that HEAD left or may move to. The path to an event never changes, so a folded state stays valid. The
 * state of a branch that is not kept is read from the log, at a cost that grows with the branch.
 */
export class BranchCache {
  readonly #reader: JournalReader;
  readonly #branches = new Map<string | null, BranchState>();

  constructor(reader: JournalReader) {
    this.#reader = reader;
  }

  /** Keeps the state of the branch that ends with `leaf`. */
  keep(leaf: string | null, branch: BranchState): void {
    this.#branches.delete(leaf);
    this.#branches.set(leaf, branch);
    const [oldest] = this.#branches.keys();
    if (this.#branches.size > KEPT && oldest !== undefined) this.#branches.delete(oldest);
  }

  /** Resolves with the states of the branches that end with these events; states that are not kept are read. */
  async load(leaves: readonly (string | null)[]): Promise<BranchLookup> {
    const missing = leaves.filter((leaf) => !this.#branches.has(leaf)).map((leaf) => ({ leaf }));
    const read = await loadBranches(this.#reader, missing);
    for (const { leaf } of missing) {
      const branch = read(leaf);
      if (branch) this.keep(leaf, branch);
    }
    const found = new Map(leaves.map((leaf) => [leaf, this.#branches.get(leaf) ?? read(leaf)]));
    return (leaf) => found.get(leaf);
  }

  has(leaf: string | null): boolean {
    return this.#branches.has(leaf);
  }
}
