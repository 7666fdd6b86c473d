import type { JournalReader } from '@conv/core/store';
import { foreignLog } from '@conv/store-kit';
import { epochPath, listEpochs, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { withFile } from '../disk/whole-file.ts';
import { mirrorName } from '../mirror/openhands-mirror.ts';
import { decodeCommit } from './commit-frame.ts';
import { idIn, isBaseOf } from './own-state-files.ts';
import { scanFrames } from './scan.ts';

/**
 * Resolves with the conversation that the log in a folder belongs to if that is another one (decision 82). The log of a folder
 * that was copied as a whole does not count as another: its files belong to its log (decision 53). Reads one commit of a log that
 * states the id of the folder.
 */
export async function otherInFolder(
  disk: Disk,
  path: ConversationPath,
  reader: JournalReader,
): Promise<string | undefined> {
  if (!beginsAsOther(disk, path)) return undefined;
  const found = await foreignLog(reader, path.id);
  if (!found) return undefined;
  const named = idIn(readJsonObject(disk, path.baseState)?.['id']);
  if (named === found.id) return undefined;
  const isProved = isBaseOf(disk, path);
  // A fork that lost the commit with its id still has the event files of its log.
  if (isProved && found.isWhole) return found.id;
  return (await hasEventFile(disk, path, reader)) || (!isProved && !found.isWhole) ? undefined : found.id;
}

/** True if the first commit of the oldest file states another id than the one of the folder. */
export function beginsAsOther(disk: Disk, path: ConversationPath): boolean {
  const oldest = listEpochs(disk, path).at(-1);
  if (oldest === undefined) return false;
  return (
    withFile(disk, epochPath(path, oldest), (file) => {
      for (const frame of scanFrames(disk, file, 0, disk.size(file))) {
        if (!frame.header || frame.header.kind !== 'commit') continue;
        const stated = idIn(decodeCommit(frame).patch?.set?.id);
        return stated !== undefined && stated !== path.id;
      }
      return false;
    }) === true
  );
}

/** True if an event of the log has its file in the folder. */
async function hasEventFile(disk: Disk, path: ConversationPath, reader: JournalReader): Promise<boolean> {
  const names = new Set(ifThere(() => disk.list(path.events)));
  if (names.size === 0) return false;
  for await (const { firstEvent, events } of reader.commits())
    if (events.some(({ id }, at) => names.has(mirrorName(firstEvent + at, id)))) return true;
  return false;
}
