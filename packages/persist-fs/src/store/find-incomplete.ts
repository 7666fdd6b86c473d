import { toConversationId } from '@conv/core/store';
import type { Incomplete } from '@conv/store-kit';
import { conversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { published, readOwner } from '../log/owner-file.ts';
import { isThere } from './is-conversation.ts';

/** Folders that are looked at in one turn of the event loop. */
const PER_TURN = 32;

/** Finds the folders among `keys` in which an owner had commits, and neither a log nor a file of OpenHands is left. */
export async function findIncomplete(
  disk: Disk,
  root: string,
  keys: readonly string[],
): Promise<readonly Incomplete[]> {
  const found: Incomplete[] = [];
  for (const [at, key] of keys.entries()) {
    if (at % PER_TURN === PER_TURN - 1) await disk.platform.nextTurn();
    const id = toConversationId(key);
    const path = conversationPath(root, id);
    const owner = readOwner(disk, path.owner);
    const seq = owner ? published(owner).seq : 0;
    if (seq === 0 || isThere(disk, path)) continue;
    const message = `conversation ${id} had ${seq} commits, and its log is not there: put its folder back from a backup`;
    found.push({ id, part: 'log', message });
  }
  return found;
}
