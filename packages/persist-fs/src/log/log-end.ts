import type { Damage } from '@conv/core/store';
import { toCommitSeq, type EventIndex } from '@conv/core/store';
import type { Disk } from '../disk/disk.ts';
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

/** What is known from elsewhere of what was acknowledged. */
export interface Known {
  /** Everything before this offset was. */
  readonly durable: number;
  /** The commits before this one were. */
  readonly seq: number;
}

/**
 * Finds the end of a file by reading it from `from` on, at most to `limit`. Bytes that are no frame are damage when what
 * follows, or what is known from elsewhere, says that they had been acknowledged. Otherwise they are the torn group of the
 * last write, of which a loss of power may leave later frames without earlier ones: it ends the log.
 */
export function findLogEnd(
  disk: Disk,
  file: number,
  epoch: number,
  from: LogPosition,
  known: Known,
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
    if (header.seq > end.seq) {
      torn ??= { ...end, damages: damage.length };
      damage.push(lost(end.seq, header.seq, `epoch ${epoch} at byte ${end.offset}`));
    }
    end = { offset, seq: header.seq + 1, event: header.firstEvent + header.events };
    if (torn && durable > torn.offset) torn = undefined;
  }
  if (torn && durable <= torn.offset && known.seq <= torn.seq) {
    damage.length = torn.damages;
    end = torn;
  }
  const { offset, seq, event } = end;
  return { offset, seq, event, durable, tornBytes: Math.max(0, size - offset), damage };
}

/** Where an epoch's commits begin. */
export function startOf(found: FoundEpoch, first: { seq: number; event: number }): LogPosition {
  const { seq, event } = found.start ?? first;
  return { offset: found.body, seq, event };
}

/** The commits from `from` to before `to` are gone. */
export function lost(from: number, to: number, where: string, restored: readonly EventIndex[] = []): Damage {
  return {
    from: toCommitSeq(from),
    to: toCommitSeq(to - 1),
    reason: `${where} is damaged`,
    restored,
  };
}
