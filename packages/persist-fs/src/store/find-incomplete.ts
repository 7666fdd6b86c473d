import { errorText } from '@conv/core';
import { toConversationId } from '@conv/core/store';
import type { Incomplete } from '@conv/store-kit';
import { conversationPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { errorCode, ifThere } from '../disk/from-fs-error.ts';
import { published, readOwner } from '../log/owner-file.ts';
import { KINDS } from '../mirror/obstacles.ts';
import { isThere } from './is-conversation.ts';

/** Folders that are looked at in one turn of the event loop. */
const PER_TURN = 32;

/**
 * Finds the folders among `keys` in which an owner had commits, and neither a log nor a file of OpenHands is left, and anything but a
 * folder in the place of one, or of its log.
 */
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
    const message = noFolder(disk, path) ?? noLogFolder(disk, path) ?? lostLog(disk, path);
    if (message !== undefined) found.push({ id, part: 'log', message });
  }
  return found;
}

/**
 * Returns an error text if anything but a folder is in the place of a conversation's folder, because no list shows it then;
 * `undefined` for a folder, or for nothing.
 */
function noFolder(disk: Disk, { id, folder }: ConversationPath): string | undefined {
  const kind = disk.stat(folder)?.kind;
  if (kind === undefined || kind === 'folder') return undefined;
  const found = kind === 'link' ? 'a link' : KINDS[kind];
  return `expected a folder at ${folder}, found ${found}: put the folder of conversation ${id} back, or move what is there elsewhere`;
}

/** Returns an error text if a file or the like is in the place of the folder of a log, and no list shows the conversation. */
function noLogFolder(disk: Disk, path: ConversationPath): string | undefined {
  const kind = ifThere(() => disk.stat(path.log))?.kind;
  if ((kind !== 'file' && kind !== 'other') || mayBeThere(disk, path)) return undefined;
  return `expected a folder at ${path.log}, found ${KINDS[kind]}: put the log of conversation ${path.id} back from a backup, or delete ${path.folder}`;
}

/**
 * Returns the reason why a conversation that was there cannot be found; `undefined` for any other conversation, and if lists name
 * it.
 */
function lostLog(disk: Disk, path: ConversationPath): string | undefined {
  if (mayBeThere(disk, path)) return undefined;
  try {
    const owner = readOwner(disk, path.owner);
    const seq = owner ? published(owner).seq : 0;
    return seq > 0
      ? `conversation ${path.id} had ${seq} commits, and its log is not there: put its folder back from a backup`
      : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return `conversation ${path.id} has no log, and the record of its owner cannot be read: ${errorText(error)}`;
  }
}

/** Returns true if a conversation is there, or if the file system refuses to tell. */
function mayBeThere(disk: Disk, path: ConversationPath): boolean {
  try {
    return isThere(disk, path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return true;
  }
}
