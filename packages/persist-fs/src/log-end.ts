import type { Damage } from '@conv/core/store';
import { toCommitSeq } from '@conv/core/store';
import type { Disk } from './disk.ts';
import type { FoundEpoch } from './epoch-file.ts';
import { scanFrames } from './scan.ts';

/** A place in a log: behind a commit. */
export interface LogPosition {
  readonly offset: number;
  readonly seq: number;
  readonly event: number;
}

/** Where the newest epoch's commits end. */
export interface LogEnd extends LogPosition {
  /** The highest durable offset that a frame of the owner names. */
  readonly durable: number;
  /** Bytes behind the end that are no frame: writing of them was interrupted, so nobody was told that they are stored. */
  readonly tornBytes: number;
  readonly damage: readonly Damage[];
}

/**
 * Finds the end of a file by reading it from `from` on, at most to `limit`. Bytes that are no frame are a torn tail when no
 * frame follows them, and damage otherwise.
 */
export function findLogEnd(
  disk: Disk,
  file: number,
  epoch: number,
  from: LogPosition,
  limit: number = Infinity,
): LogEnd {
  let { offset, seq, event } = from;
  let durable = from.offset;
  const damage: Damage[] = [];
  const size = Math.min(disk.size(file), limit);
  for (const { header, end } of scanFrames(disk, file, from.offset, size)) {
    if (header?.kind !== 'commit' || header.seq < seq) continue;
    if (header.seq > seq) damage.push(lost(seq, header.seq, `epoch ${epoch} at byte ${offset}`));
    offset = end;
    seq = header.seq + 1;
    event = header.firstEvent + header.events;
    durable = Math.max(durable, header.durable);
  }
  return { offset, seq, event, durable, tornBytes: Math.max(0, size - offset), damage };
}

/** Where an epoch's commits begin. */
export function startOf(found: FoundEpoch, first: { seq: number; event: number }): LogPosition {
  const { seq, event } = found.start ?? first;
  return { offset: found.body, seq, event };
}

/** The commits from `from` to before `to` are gone. */
export function lost(from: number, to: number, where: string): Damage {
  return {
    from: toCommitSeq(from),
    to: toCommitSeq(to - 1),
    reason: `${where}: damaged, commits ${from} to ${to - 1} cannot be read`,
  };
}
