import { join } from 'node:path';
import { readEventFile } from '../mirror/foreign-events.ts';
import { mirrorName } from '../mirror/openhands-mirror.ts';
import { epochPath, listEpochs, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { decodeCommit, eventIdIn } from './commit-frame.ts';
import { readEpochStart, type EpochStart, type FoundEpoch } from './epoch-file.ts';
import { withFile } from '../disk/whole-file.ts';
import { IndexFile } from './index-file.ts';
import { isBaseOf, statedIds } from './own-state-files.ts';
import { scanFrames } from './scan.ts';

/**
 * True if the file of an epoch is known to be a file of another log (decision 78). Two witnesses must agree against it: the
 * index says that an event of this epoch has another id, and the file of that event is there under this id. One event that
 * the index knows in its place is enough to believe the file. Without these witnesses the file itself counts against it, if it
 * states the id of another conversation: then `base_state.json` is the second witness.
 */
export function isMisplaced(disk: Disk, path: ConversationPath, file: number, { epoch, start }: FoundEpoch): boolean {
  if (!start) return false;
  const index = new IndexFile(disk, path.index, 'read');
  try {
    // An entry in front of the file is of an earlier file with this number, which is gone.
    const numbers = [start.event, index.length - 1].filter(
      (number) => number >= start.event && index.entry(number)?.epoch === epoch,
    );
    if (numbers.some((number) => holdsEvent(disk, file, index, number))) return false;
    // A file that was cut in front of its first event contradicts no witness.
    if (
      holdsAny(disk, file, (number, id) => index.entry(number)?.epoch === epoch && index.carries(number, id)) !== false
    )
      return false;
    return numbers.some((number) => hasFile(disk, path, index, number)) || isOfOther(disk, path, file, epoch);
  } finally {
    index.rest();
  }
}

/**
 * True if a file states ids of other conversations alone, and a whole `base_state.json` of ours has the id of this folder. A fork
 * begins with the files of its source: a later file continues them, or states the id of the fork.
 */
function isOfOther(disk: Disk, path: ConversationPath, file: number, epoch: number): boolean {
  const stated = statedIds(disk, file);
  if (stated.size === 0 || stated.has(path.id) || !isBaseOf(disk, path)) return false;
  const names = new Set(ifThere(() => disk.list(path.events)));
  if (holdsAny(disk, file, (number, id) => names.has(mirrorName(number, id)))) return false;
  const isOwn = (one: number): boolean =>
    withFile(disk, epochPath(path, one), (later) => {
      const start = readEpochStart(disk, later, one)?.start;
      return statedIds(disk, later).has(path.id) || (start?.prev === epoch && endsAt(disk, file, start));
    }) === true;
  return !listEpochs(disk, path).some((one) => one > epoch && isOwn(one));
}

/** True if the commits of a file end where a later file says that it continues them. */
function endsAt(disk: Disk, file: number, { sealedAt, seq, event }: EpochStart): boolean {
  let reached = false;
  for (const { header, end } of scanFrames(disk, file, 0, Math.min(sealedAt, disk.size(file))))
    if (header?.kind === 'commit')
      reached = end === sealedAt && header.seq + 1 === seq && header.firstEvent + header.events === event;
  return reached;
}

/** True if the event of this number stands where its index entry says, under the id of the entry. */
function holdsEvent(disk: Disk, file: number, index: IndexFile, number: number): boolean {
  const entry = index.entry(number);
  if (!entry) return false;
  const [frame] = scanFrames(disk, file, entry.offset, entry.offset + entry.length);
  if (frame?.header === undefined || frame.header.kind !== 'commit' || frame.header.seq !== entry.seq) return false;
  const id = eventIdIn(frame, number);
  return id !== undefined && index.carries(number, id);
}

/** True if the file holds any event that is known. `undefined`: it holds no event. Reads the file until it finds one. */
function holdsAny(disk: Disk, file: number, isKnown: (number: number, id: string) => boolean): boolean | undefined {
  let found: boolean | undefined;
  for (const frame of scanFrames(disk, file, 0, disk.size(file))) {
    if (!frame.header || frame.header.kind !== 'commit' || frame.header.events === 0) continue;
    const { firstEvent } = frame.header;
    found = decodeCommit(frame).events.some(({ id }, at) => isKnown(firstEvent + at, id));
    if (found) return true;
  }
  return found;
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
