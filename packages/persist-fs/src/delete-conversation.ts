import { join } from 'node:path';
import { listEpochs } from './chain.ts';
import { refuseEscape, type ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { EpochWriter } from './epoch-writer.ts';
import { ifThere } from './from-fs-error.ts';
import { Lease } from './lease.ts';
import { newToken, dropToken } from './process-identity.ts';
import { assertFree } from './take-over.ts';

const PREFIX = '.deleted-';

/**
 * Removes a conversation. First the next epoch is claimed, which fences a writer that does not know it yet; then the folder
 * loses its name, all at once and durably; then it is emptied. A late writer finds no folder to write into, and makes none.
 */
export async function deleteConversation(disk: Disk, path: ConversationPath): Promise<void> {
  refuseEscape(disk, path);
  if (!disk.stat(path.folder)) return;
  const token = newToken();
  assertFree(disk, path, new Lease(disk, path, token));
  if (disk.stat(path.log)) EpochWriter.claim(disk, path, (listEpochs(disk, path)[0] ?? 0) + 1)?.close();
  ifThere(() => disk.rename(path.folder, join(path.root, `${PREFIX}${path.key}-${token}`)));
  dropToken(token);
  await disk.syncFolder(path.root, 'delete root');
  // Also what an earlier process had no time to empty.
  for (const name of disk.list(path.root)) if (name.startsWith(PREFIX)) await disk.removeFolder(join(path.root, name));
}
