import type { Commit, CommitSeq } from '../store/commit.ts';
import type { JournalReader } from '../store/conversation-store.ts';
import { applyToBranch, emptyBranch, type BranchState } from './branch.ts';
import { applyCommit, emptyProjection, leavesNeeded, type BranchLookup, type Projection } from './projection.ts';
import { eventsAt, pathTo } from './tree.ts';

/** What {@link foldJournal} folds. */
export interface FoldOptions {
  /** Fold on from here; its `end.seq` is the first commit read. Default: from the start. */
  readonly from?: Projection;
  /** Stop before this commit. Default: the reader's end. */
  readonly to?: CommitSeq;
}

/** The state after the commits of a log. One function serves opening, recovery, time travel and replay. */
export async function foldJournal(reader: JournalReader, options: FoldOptions = {}): Promise<Projection> {
  let projection = options.from ?? emptyProjection;
  for await (const commit of reader.commits({ from: projection.end.seq, to: options.to })) {
    projection = await foldCommit(reader, projection, commit);
  }
  return projection;
}

/** The projection with one more commit, loading the branches that it continues from. */
export async function foldCommit(reader: JournalReader, projection: Projection, commit: Commit): Promise<Projection> {
  return applyCommit(projection, commit, await loadBranches(reader, leavesNeeded(projection, commit)));
}

/** The states of these branches. */
export async function loadBranches(reader: JournalReader, leaves: readonly (string | null)[]): Promise<BranchLookup> {
  const loaded = new Map<string | null, BranchState | undefined>();
  for (const leaf of leaves) if (!loaded.has(leaf)) loaded.set(leaf, await branchAt(reader, leaf));
  return (leaf) => loaded.get(leaf);
}

/** The state of the branch that ends with `leaf`; `undefined` when there is no such event. */
export async function branchAt(reader: JournalReader, leaf: string | null): Promise<BranchState | undefined> {
  const path = leaf === null ? [] : await pathTo(reader, leaf);
  if (!path) return undefined;
  let branch = emptyBranch;
  for await (const { event, index } of eventsAt(reader, path)) branch = applyToBranch(branch, event, index);
  return branch;
}
