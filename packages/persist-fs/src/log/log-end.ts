import { toCommitSeq, type Damage, type EventIndex } from '@conv/core/store';
import type { Disk } from '../disk/disk.ts';
import type { Acknowledged } from './acknowledged.ts';
import { scanFrames } from './scan.ts';

/** A place in a log: after a commit. */
export interface LogPosition {
  readonly offset: number;
  readonly seq: number;
  readonly event: number;
}

/** The end of the newest epoch's commits. */
export interface LogEnd extends LogPosition {
  /** The highest durable offset that a frame of the owner names. */
  readonly durable: number;
  /** Bytes after the end that are not a frame: an interrupted write, which no caller was told is stored. */
  readonly tornBytes: number;
  readonly damage: readonly Damage[];
}

/**
 * Finds the end of a file by reading it from `from` on, at most to `limit`. Bytes that are not a frame are damage if a
 * later frame, or `known`, says that they had been acknowledged. Otherwise they belong to the torn group of the last
 * write, which ends the log (decision 10): a loss of power may keep later frames of a group and lose earlier ones.
 */
export function findLogEnd(
  disk: Disk,
  file: number,
  epoch: number,
  from: LogPosition,
  known: Acknowledged,
  limit: number = Infinity,
): LogEnd {
  let end = from;
  let durable = Math.max(from.offset, known.durable);
  let torn: (LogPosition & { readonly damages: number }) | undefined;
  const damage: Damage[] = [];
  const size = Math.min(disk.size(file), limit);
  for (const { header, end: offset } of scanFrames(disk, file, from.offset, size)) {
    if (header?.kind !== 'commit' || header.seq < end.seq) continue;
    durable = Math.max(durable, header.durable);
    // A hole. It counts as torn until something proves that the bytes after `end` were acknowledged.
    if (header.seq > end.seq) {
      torn ??= { ...end, damages: damage.length };
      damage.push(lost(end.seq, header.seq, `epoch ${epoch} at byte ${end.offset}`));
    }
    end = { offset, seq: header.seq + 1, event: header.firstEvent + header.events };
    if (torn && durable > torn.offset) torn = undefined;
  }
  // Nothing proves it: the log ends in front of the first hole, and what stands after it was never acknowledged.
  if (torn && durable <= torn.offset && known.seq <= torn.seq) {
    damage.length = torn.damages;
    end = torn;
  }
  const { offset, seq, event } = end;
  return { offset, seq, event, durable, tornBytes: Math.max(0, size - offset), damage };
}

/** Returns the damage of the commits from `from` to before `to`. */
export function lost(from: number, to: number, where: string, restored: readonly EventIndex[] = []): Damage {
  return {
    from: toCommitSeq(from),
    to: toCommitSeq(to - 1),
    reason: `${where} is damaged`,
    restored,
  };
}
