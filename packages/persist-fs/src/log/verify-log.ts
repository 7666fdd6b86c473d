import { withEpochFile, type Part } from './chain.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { LogSource } from './log-source.ts';
import { scanFrames } from './scan.ts';

/** The largest part of a log that an opening looks through. Reading and `check` look through the rest. */
const MAX_BYTES = 1024 * 1024;
const MAX_PARTS = 32;

/** True if the newest part of a log, all of a short one, lacks a commit in front of the place where it is known to end. */
export function hasGap(disk: Disk, path: ConversationPath, { chain, end, damage }: LogSource): boolean {
  let bytes = 0;
  let parts = 0;
  const isTooMuch = (part: Part): boolean => (bytes += part.end - part.body) > MAX_BYTES || ++parts > MAX_PARTS;
  const found = chain.from(isTooMuch);
  const looked = bytes > MAX_BYTES || parts > MAX_PARTS ? found.slice(1) : found;
  let expected = looked === found ? 0 : (looked[0]?.seq ?? end.seq);
  for (const [number, part] of looked.entries()) {
    const before = looked[number + 1]?.seq ?? Infinity;
    const whole = withEpochFile(disk, path, part.epoch, (file) => {
      for (const { header } of scanFrames(disk, file, part.body, part.end)) {
        if (header?.kind !== 'commit' || header.seq < expected || header.seq >= before) continue;
        if (header.seq !== expected) return false;
        expected = header.seq + 1;
      }
      return true;
    });
    if (whole === false) return true;
  }
  return expected !== (damage[0]?.from ?? end.seq);
}
