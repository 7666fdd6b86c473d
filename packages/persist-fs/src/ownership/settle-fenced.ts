import { setTimeout } from 'node:timers/promises';
import { toCommitSeq, type Commit, type NewCommit } from '@conv/core/store';
import { newestEpoch } from '../log/chain.ts';
import { epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { viewLog } from '../log/log-source.ts';
import { readCommits, PAUSE } from '../log/read-commits.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { isGuarded, validMark } from '../mirror/mirror-state.ts';

/** A successor that lives seals the log within a moment; one that died is not waited for. */
const LOOKS = 20;
const BETWEEN_LOOKS = 50;

/** A group of commits that an owner wrote and that was taken over from before it could acknowledge them. */
export interface FencedGroup {
  /** The epoch whose file they were written to. */
  readonly epoch: number;
  /** The number that the first of them had. */
  readonly from: number;
  readonly commits: readonly NewCommit[];
}

/**
 * Says which of the commits are stored: those that the log of the successor holds, read back by their ids. Where a commit must
 * not be acknowledged before the files for OpenHands say so, those have to. `undefined`: nobody has decided yet, or it cannot be
 * read.
 */
export async function settleFenced(
  disk: Disk,
  path: ConversationPath,
  group: FencedGroup,
): Promise<readonly Commit[] | undefined> {
  try {
    for (let look = 0; look < LOOKS; look++) {
      if (look > 0) await setTimeout(BETWEEN_LOOKS);
      // deleted, or replaced by another conversation
      if (!disk.stat(epochPath(path, group.epoch))) return [];
      const stored = await storedOf(disk, path, group);
      if (stored && isShown(disk, path, stored)) return stored;
    }
  } catch {
    // what cannot be read back is not known
  }
  return undefined;
}

async function storedOf(
  disk: Disk,
  path: ConversationPath,
  group: FencedGroup,
): Promise<readonly Commit[] | undefined> {
  if ((newestEpoch(disk, path)?.epoch ?? 0) <= group.epoch) return undefined;
  const source = await viewLog(disk, path);
  if (!source) return undefined;
  const { from, commits } = group;
  const stored: Commit[] = [];
  const damage: unknown[] = [];
  const context = { disk, path, source, index: undefined, onDamage: (found: unknown) => damage.push(found) };
  for (const commit of readCommits(context, { from: toCommitSeq(from), to: toCommitSeq(from + commits.length) })) {
    if (commit === PAUSE) continue;
    if (commit.id !== commits[stored.length]?.id) break;
    stored.push(commit);
  }
  return damage.length > 0 ? undefined : stored;
}

function isShown(disk: Disk, path: ConversationPath, stored: readonly Commit[]): boolean {
  const guarded = stored.findLast(({ patch }) => isGuarded(patch));
  if (!guarded) return true;
  const base = readJsonObject(disk, path.baseState);
  return ((base && validMark(base)?.seq) ?? 0) > guarded.seq;
}
