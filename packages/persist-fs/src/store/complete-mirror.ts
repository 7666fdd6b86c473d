import { isStoreError } from '@conv/core/store';
import { OpenHandsMirror } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { errorCode } from '../disk/from-fs-error.ts';
import { eventsFromLog } from '../log/events-from-log.ts';
import { openLogSource } from '../log/log-source.ts';
import { OwnFiles } from '../disk/own-files.ts';
import { readOwner } from '../log/owner-file.ts';
import { FsReader } from '../log/reader.ts';

const EVENTS_PER_TURN = 16;

/**
 * Writes the event files of a conversation without an owner, such as a fork. Ends early when a process opens it,
 * because its writer continues with the files, and when it is deleted.
 */
export async function completeMirror(disk: Disk, path: ConversationPath): Promise<void> {
  // The caller of the fork continues first: it can use the fork, and the files are for others.
  await disk.platform.nextTurn();
  const source = await openLogSource(disk, path);
  if (!source) return;
  const reader = new FsReader(disk, path, source);
  const ended = (): boolean => readOwner(disk, path.owner)?.released !== true;
  const files = new OwnFiles(disk, path, disk.platform.id(), ended);
  const mirror = new OpenHandsMirror(disk, path, files, { events: 0, namedHead: null, fallback: null }, () => {});
  let count = 0;
  try {
    for await (const event of eventsFromLog(reader, 0, source.end.event)) {
      mirror.writeEventNow(event);
      if (++count % EVENTS_PER_TURN !== 0) continue;
      await disk.platform.nextTurn();
      if (ended()) return;
    }
  } catch (error) {
    if (!isStoreError(error, 'FENCED') && (errorCode(error) !== 'ENOENT' || disk.stat(path.folder))) throw error;
  } finally {
    await reader.close();
  }
}
