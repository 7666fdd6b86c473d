import type { Commit } from '../../contract/store/commit.ts';
import type { CommitSeq } from '../../contract/state/log-position.ts';
import type { JournalReader } from '../../contract/store/conversation-store.ts';
import { applyToBranch, emptyBranch, type BranchState } from './branch.ts';
import {
  applyCommit,
  emptyProjection,
  leavesNeeded,
  skipLost,
  type BranchLookup,
  type LeafNeeded,
  type Projection,
} from './projection.ts';
import { eventsAt, pathBefore, pathTo } from './tree.ts';

/**
 * Resolves with the state after the commits of a log. One function serves opening, recovery, time travel and replay. `from`: the
 * projection to continue from, default the start; its `end.seq` is the first commit read. `to`: the first commit that is not folded,
 * default the reader's end.
 */
export async function foldJournal(
  reader: JournalReader,
  options: { readonly from?: Projection | undefined; readonly to?: CommitSeq | undefined } = {},
): Promise<Projection> {
  let projection = options.from ?? emptyProjection;
  const end = reader.end;
  for await (const commit of reader.commits({ from: projection.end.seq, to: options.to })) {
    // most commits continue the live branch, and nothing waits for them
    const live = leavesNeeded(projection, commit).length === 0;
    projection = live ? applyCommit(projection, commit, () => undefined) : await foldCommit(reader, projection, commit);
  }
  const until = options.to !== undefined && options.to < end.seq ? { ...projection.end, seq: options.to } : end;
  return projection.end.seq < until.seq ? skipLost(projection, until) : projection;
}

/** Resolves with the projection with one more commit; loads the branches that it continues from. */
export async function foldCommit(reader: JournalReader, projection: Projection, commit: Commit): Promise<Projection> {
  return applyCommit(projection, commit, await loadBranches(reader, leavesNeeded(projection, commit)));
}

export async function loadBranches(reader: JournalReader, leaves: readonly LeafNeeded[]): Promise<BranchLookup> {
  const loaded = new Map<string | null, BranchState | undefined>();
  for (const needed of leaves) if (!loaded.has(needed.leaf)) loaded.set(needed.leaf, await branchAt(reader, needed));
  return (leaf) => loaded.get(leaf);
}

/** Resolves with the state of a branch; `undefined` when there is no such event. */
async function branchAt(reader: JournalReader, { leaf, child }: LeafNeeded): Promise<BranchState | undefined> {
  const known = leaf === null ? [] : await pathTo(reader, leaf);
  const path = known ?? (child === undefined ? undefined : await pathBefore(reader, child));
  if (!path) return undefined;
  let branch = emptyBranch;
  for await (const { event, index } of eventsAt(reader, path)) branch = applyToBranch(branch, event, index);
  return branch;
}
