import type { ConversationPath } from '../disk/conversation-path.ts';
import { withEpochFile } from './chain.ts';
import { decodeCommit } from './commit-frame.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { encodeEntries, IndexFile } from './index-file.ts';
import type { LogSource } from './log-source.ts';
import { readRestored } from './restored-events.ts';
import { scanFrames } from './scan.ts';

/** The largest number of entries of an index that is checked as a whole at every opening. */
const LOOKED_THROUGH = 4096;

/**
 * Opens the index for its owner and makes it hold every event of the log. `crashed`: the machine went down since it was written,
 * so any part of it may be missing. Otherwise only its end can be missing, unless damage took an entry. `anew`: its entries of
 * events after the end of the log prove nothing, so it is made again.
 */
export function openIndex(
  disk: Disk,
  path: ConversationPath,
  source: LogSource,
  { crashed, anew }: { readonly crashed: boolean; readonly anew: boolean },
): IndexFile {
  if (anew) ifThere(() => disk.remove(path.index));
  const index = new IndexFile(disk, path.index, 'update');
  const { event: end } = source.end;
  try {
    const whole = crashed || end <= LOOKED_THROUGH ? index.wholeUntil(end) : lastWhole(index, end);
    if (whole < end) rebuild(disk, path, source, index, whole);
    return index;
  } catch (error) {
    index.rest();
    throw error;
  }
}

/** Returns the number after the last entry that can be read. */
function lastWhole(index: IndexFile, end: number): number {
  for (let event = Math.min(end, index.length); event > 0; event--) if (index.entry(event - 1)) return event;
  return 0;
}

function rebuild(disk: Disk, path: ConversationPath, { chain }: LogSource, index: IndexFile, from: number): void {
  for (const { seq, firstEvent, events } of readRestored(disk, path)) {
    const ids = events.map(({ id }) => id);
    // No frame of the log holds restored commits.
    index.write(firstEvent, encodeEntries(ids, { epoch: 0, offset: 0, length: 1, seq }));
  }
  for (const part of chain.from(({ event }) => event <= from)) {
    withEpochFile(disk, path, part.epoch, (file) => {
      for (const frame of scanFrames(disk, file, part.body, part.end)) {
        if (!frame.header || frame.header.kind !== 'commit' || frame.header.firstEvent + frame.header.events <= from)
          continue;
        const { epoch, seq, firstEvent } = frame.header;
        const ids = decodeCommit(frame).events.map(({ id }) => id);
        const { offset, end } = frame;
        index.write(firstEvent, encodeEntries(ids, { epoch, offset, length: end - offset, seq }));
      }
    });
  }
}
