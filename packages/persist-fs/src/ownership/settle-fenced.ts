import { toCommitSeq, type Commit, type NewCommit } from '@conv/core/store';
import { timers } from '@conv/core/platform';
import { newestEpoch } from '../log/chain.ts';
import { epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { openLogSource } from '../log/log-source.ts';
import { readCommits, PAUSE } from '../log/read-commits.ts';
import { ownBaseState } from '../log/own-state-files.ts';
import { isGuarded, validMark } from '../mirror/mirror-state.ts';

/** Looks for the successor's decision. A successor that lives seals the log within a moment. */
const LOOKS = 20;

/** Milliseconds between two looks. */
const BETWEEN_LOOKS = 50;

/** A group of commits that an owner wrote, and could not acknowledge before another process took over. */
export interface FencedGroup {
  /** The newest epoch that this owner has claimed. An owner continues in an epoch of its own after errors, which decides nothing. */
  readonly lastEpoch: number;
  /** The number of the first commit. */
  readonly from: number;
  readonly commits: readonly NewCommit[];
}

/**
 * Returns the commits that are stored: the log of the successor holds them, under their ids. A commit with guarded settings also
 * has to stand in the files for OpenHands, as before an acknowledgement. Resolves with `undefined` if no successor
 * has decided yet, or its log cannot be read (P1).
 *
 * Invariant: only the successor decides. It read the log after its claim, so a commit that it did not find never comes back.
 */
export async function settleFenced(
  disk: Disk,
  path: ConversationPath,
  group: FencedGroup,
): Promise<readonly Commit[] | undefined> {
  try {
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await timers.sleep(disk.platform, BETWEEN_LOOKS);
      // deleted, or replaced by another conversation
      if (!disk.stat(epochPath(path, group.lastEpoch))) return [];
      const stored = await storedOf(disk, path, group);
      if (stored && isShown(disk, path, stored)) return stored;
    }
  } catch {
    // a log that cannot be read back decides nothing: the caller answers OUTCOME_UNKNOWN
  }
  return undefined;
}

/** Returns the commits that the log of a successor holds; `undefined` while there is none, or if damage hides them. */
async function storedOf(
  disk: Disk,
  path: ConversationPath,
  group: FencedGroup,
): Promise<readonly Commit[] | undefined> {
  if ((newestEpoch(disk, path)?.epoch ?? 0) <= group.lastEpoch) return undefined;
  const source = await openLogSource(disk, path);
  if (!source) return undefined;
  const { from, commits } = group;
  const stored: Commit[] = [];
  const damage: unknown[] = [];
  const context = { disk, path, source, index: undefined, onDamage: (found: unknown) => damage.push(found) };
  for (const commit of readCommits(context, { from: toCommitSeq(from), to: toCommitSeq(from + commits.length) })) {
    if (commit === PAUSE) continue;
    // the numbers are reused by the successor, the ids are not
    if (commit.id !== commits[stored.length]?.id) break;
    stored.push(commit);
  }
  return damage.length > 0 ? undefined : stored;
}

/** True if the files for OpenHands show the newest guarded settings of these commits. */
function isShown(disk: Disk, path: ConversationPath, stored: readonly Commit[]): boolean {
  const guarded = stored.findLast(({ patch }) => isGuarded(patch));
  if (!guarded) return true;
  const base = ownBaseState(disk, path);
  return ((base && validMark(base)?.seq) ?? 0) > guarded.seq;
}
