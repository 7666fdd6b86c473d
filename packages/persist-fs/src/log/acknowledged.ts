import { epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { IndexFile } from './index-file.ts';
import { published, type OwnerRecord, type Published } from './owner-file.ts';
import { snapshotSeq } from './snapshot-file.ts';
import { ownBaseState } from './own-state-files.ts';
import { validMark } from '../mirror/mirror-state.ts';

/** The acknowledged part of a log, as far as the files beside it prove it. */
export interface Acknowledged {
  /** Everything before this offset of the newest epoch's file was acknowledged. */
  readonly durable: number;
  /** The commits before this number were acknowledged. */
  readonly seq: number;
}

/** Milliseconds by which the clock of files may be behind the clock of the process. */
const CLOCK_MILLISECONDS = 20;

/**
 * Returns how far the log of `epoch` is known to have been acknowledged. Each file that follows the log is a witness:
 * the owner record, `base_state.json`, the index and the snapshot (decision 10). In a copy that was made while the
 * conversation was written the witnesses may be newer than the log, and prove nothing (decision 28).
 */
export function acknowledgedEnd(
  disk: Disk,
  path: ConversationPath,
  epoch: number,
  owner: OwnerRecord | undefined,
): Acknowledged {
  if (isLiveCopy(disk, path, owner)) return { durable: 0, seq: 0 };
  const said = owner && published(owner);
  const durable = said?.epoch === epoch ? said.durable : 0;
  return {
    durable,
    seq: Math.max(said?.seq ?? 0, mirroredSeq(disk, path), indexedSeq(disk, path), snapshotSeq(disk, path)),
  };
}

/**
 * True for a copy of a folder that was being written (decision 28): the log's file is not the file that its owner
 * wrote, the owner had not closed, and the file is no newer than the owner's last heartbeat. A file that was cut later
 * is newer.
 */
export function isLiveCopy(disk: Disk, path: ConversationPath, owner: OwnerRecord | undefined): boolean {
  if (!owner || owner.released) return false;
  const file = disk.stat(epochPath(path, published(owner).epoch));
  return file !== undefined && isMoved(disk, path, owner) && file.modified <= owner.renewedAt + CLOCK_MILLISECONDS;
}

/** True if the log's file is not the file that its owner writes. */
export function isMoved(disk: Disk, path: ConversationPath, owner: OwnerRecord): boolean {
  const { epoch, inode }: Published = published(owner);
  const file = disk.stat(epochPath(path, epoch));
  return inode !== undefined && file?.kind === 'file' && file.inode !== inode;
}

/** Returns the number of commits that `base_state.json` shows; 0 if it is not of this conversation, not ours, or damaged. */
function mirroredSeq(disk: Disk, path: ConversationPath): number {
  const base = ownBaseState(disk, path);
  return (base && validMark(base)?.seq) ?? 0;
}

/** Returns the number after the last commit in the index; 0 if the index is empty or its last entry is damaged. */
function indexedSeq(disk: Disk, path: ConversationPath): number {
  const index = new IndexFile(disk, path.index, 'read');
  try {
    const last = index.length > 0 ? index.entry(index.length - 1) : undefined;
    return last ? last.seq + 1 : 0;
  } finally {
    index.rest();
  }
}
