import { firstCommit, newestEpoch, withEpochFile } from '../log/chain.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { isLive, published, readOwner } from '../log/owner-file.ts';

/** True if there is a log with a beginning, or files of OpenHands. */
export function isConversation(disk: Disk, path: ConversationPath): boolean {
  return newestEpoch(disk, path) !== undefined || hasForeignFiles(disk, path);
}

/** True if files of OpenHands or commits are stored here; a log without a commit does not count. */
export function isThere(disk: Disk, path: ConversationPath): boolean {
  return hasForeignFiles(disk, path) || holdsCommits(disk, path);
}

/** True if a living owner may not have come to its first commit yet. */
export function isBeingMade(disk: Disk, path: ConversationPath): boolean {
  const owner = readOwner(disk, path.owner);
  return owner !== undefined && isLive(owner, disk.platform.now());
}

function hasForeignFiles(disk: Disk, path: ConversationPath): boolean {
  if (disk.stat(path.baseState) ?? disk.stat(path.meta)) return true;
  return (ifThere(() => disk.list(path.events)) ?? []).some((name) => name.endsWith('.json'));
}

/** True if the log holds commits. If all of them are damaged, the owner's record still says so. */
function holdsCommits(disk: Disk, path: ConversationPath): boolean {
  const found = newestEpoch(disk, path);
  if (!found) return false;
  if ((found.start?.seq ?? 0) > 0) return true;
  if (withEpochFile(disk, path, found.epoch, (file) => firstCommit(disk, file, found))) return true;
  const owner = readOwner(disk, path.owner);
  return owner !== undefined && published(owner).seq > 0;
}
