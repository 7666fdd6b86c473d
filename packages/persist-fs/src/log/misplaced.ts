import { join } from 'node:path';
import { readEventFile } from '../mirror/foreign-events.ts';
import { mirrorName } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { decodeCommit } from './commit-frame.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { IndexFile } from './index-file.ts';
import { scanFrames } from './scan.ts';

/**
 * True if the file of an epoch is known to be a file of another log (decision 78). Two witnesses must agree against it: the
 * index says that an event of this epoch has another id, and the file of that event is there under this id. One event that
 * the index knows in its place is enough to believe the file.
 */
export function isMisplaced(disk: Disk, path: ConversationPath, file: number, { epoch, start }: FoundEpoch): boolean {
  if (!start) return false;
  const index = new IndexFile(disk, path.index, 'read');
  try {
    // An entry in front of the file is of an earlier file with this number, which is gone.
    const numbers = [start.event, index.length - 1].filter(
      (number) => number >= start.event && index.entry(number)?.epoch === epoch,
    );
    if (numbers.length === 0 || numbers.some((number) => holdsEvent(disk, file, index, number))) return false;
    return !holdsAny(disk, file, index, epoch) && numbers.some((number) => hasFile(disk, path, index, number));
  } finally {
    index.rest();
  }
}

/** True if the event of this number stands where its index entry says, under the id of the entry. */
function holdsEvent(disk: Disk, file: number, index: IndexFile, number: number): boolean {
  const entry = index.entry(number);
  if (!entry) return false;
  const [frame] = scanFrames(disk, file, entry.offset, entry.offset + entry.length);
  if (frame?.header === undefined || frame.header.kind !== 'commit' || frame.header.seq !== entry.seq) return false;
  const event = decodeCommit(frame).events[number - frame.header.firstEvent];
  return event !== undefined && index.carries(number, event.id);
}

/** True if the file holds any event that the index knows. Reads the file, but only if its first and last event are not there. */
function holdsAny(disk: Disk, file: number, index: IndexFile, epoch: number): boolean {
  for (const frame of scanFrames(disk, file, 0, disk.size(file))) {
    if (!frame.header || frame.header.kind !== 'commit') continue;
    const { firstEvent } = frame.header;
    const isKnown = decodeCommit(frame).events.some(
      ({ id }, at) => index.entry(firstEvent + at)?.epoch === epoch && index.carries(firstEvent + at, id),
    );
    if (isKnown) return true;
  }
  return false;
}

/** True if the file of an event is there, under the id that the index has. */
function hasFile(disk: Disk, path: ConversationPath, index: IndexFile, number: number): boolean {
  const names = (ifThere(() => disk.list(path.events)) ?? []).filter(
    (name) => Number(/^event-(\d+)-/.exec(name)?.[1]) === number,
  );
  return names.some((name) => {
    const place = join(path.events, name);
    const event = disk.stat(place)?.kind === 'file' ? readEventFile(disk, place) : undefined;
    return event !== undefined && name === mirrorName(number, event.id) && index.carries(number, event.id);
  });
}
