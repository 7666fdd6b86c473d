import { join } from 'node:path';
import { toConversationId } from '@conv/core/store';
import { existsAlready } from '@conv/store-kit';
import { listEpochs, refuseEscape, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { EpochWriter } from '../log/epoch-writer.ts';
import type { Report } from '../disk/finding.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { isBeingMade, isThere } from './is-conversation.ts';
import { Lease } from '../ownership/lease.ts';
import { newToken, dropToken } from '../disk/process-identity.ts';
import { assertFree } from '../ownership/take-over.ts';

const PREFIX = '.deleted-';
const LEFTOVER = /^\.deleted-([0-9a-f]{32})-[0-9a-f-]{36}$/;

/**
 * Removes a conversation. First the next epoch is claimed, which fences a writer that does not know of the deletion
 * yet. Then the folder loses its name, at once and durably. Then it is emptied. A late writer finds no folder to write
 * into, and makes none. A folder that cannot be emptied is reported and tried again by the next deletion; the
 * conversation is gone without that.
 */
export async function deleteConversation(disk: Disk, path: ConversationPath, report: Report): Promise<void> {
  refuseEscape(disk, path);
  if (!disk.stat(path.folder)) return;
  loseName(disk, path);
  await disk.syncFolder(path.root, 'delete root');
  for (const { id, folder } of leftovers(disk, path.root)) {
    try {
      await disk.removeFolder(folder);
    } catch (error) {
      report({ kind: 'leftover', conversationId: id, folder, error });
    }
  }
}

/** Makes room for a fork where a process died while it made a conversation. Throws `EXISTS` if there is one. */
export function clearUnfinished(disk: Disk, path: ConversationPath): void {
  if (isThere(disk, path) || isBeingMade(disk, path)) throw existsAlready(path.id);
  if (disk.stat(path.folder)) loseName(disk, path);
}

/** Fences the owner of a conversation, and gives its folder a name that counts for nothing. */
function loseName(disk: Disk, path: ConversationPath): void {
  const token = newToken(disk.platform);
  try {
    assertFree(disk, path, new Lease(disk, path, token));
    if (disk.stat(path.log)) EpochWriter.claim(disk, path, (listEpochs(disk, path)[0] ?? 0) + 1)?.close();
    ifThere(() => disk.rename(path.folder, join(path.root, `${PREFIX}${path.key}-${token}`)));
  } finally {
    dropToken(token);
  }
}

/** Lists the folders of deleted conversations, also the folders that an earlier process had no time to empty. */
function leftovers(disk: Disk, root: string): { readonly id: string; readonly folder: string }[] {
  try {
    return disk.list(root).flatMap((name) => {
      const key = LEFTOVER.exec(name)?.[1];
      return key === undefined ? [] : [{ id: toConversationId(key), folder: join(root, name) }];
    });
  } catch {
    // The next deletion finds them.
    return [];
  }
}
