import type { Disk } from '../disk/disk.ts';
import { encodeFrame, type FrameHeader } from './frame.ts';
import { scanFrames } from './scan.ts';

/** Both copies of a start fit into this many bytes, unless its owner has a very long name. */
const START_BYTES = 4096;

/** The beginning of an epoch's file. */
export interface EpochStart {
  readonly epoch: number;
  /** The epoch it continues; `null` for the first of a log. */
  readonly prev: number | null;
  /** The end of the continued file. Bytes after it were never acknowledged. */
  readonly sealedAt: number;
  /** The numbers of the epoch's first commit and first event. */
  readonly seq: number;
  readonly event: number;
  /** For people. */
  readonly owner: string;
  readonly createdAt: string;
}

/** An epoch file as found: `start` is `undefined` when both copies of it are damaged. */
export interface FoundEpoch {
  readonly epoch: number;
  readonly start: EpochStart | undefined;
  /** The offset at which its commits begin. */
  readonly body: number;
}

/** Encodes the start of an epoch's file, twice, so that damage to one copy costs nothing. */
export function encodeEpochStart(start: EpochStart): Buffer {
  const header: FrameHeader = {
    kind: 'epoch',
    epoch: start.epoch,
    seq: start.seq,
    firstEvent: start.event,
    events: 0,
    durable: 0,
  };
  const copy = encodeFrame(header, JSON.stringify(start));
  return Buffer.concat([copy, copy]);
}

/** Reads the beginning of an epoch's file. Returns `undefined` for a void file, which has no whole frame, and for one
 * of another epoch. */
export function readEpochStart(disk: Disk, file: number, epoch: number): FoundEpoch | undefined {
  const size = disk.size(file);
  const found = startWithin(disk, file, epoch, Math.min(size, START_BYTES));
  return found?.start || size <= START_BYTES ? found : startWithin(disk, file, epoch, size);
}

function startWithin(disk: Disk, file: number, epoch: number, end: number): FoundEpoch | undefined {
  let body: number | undefined;
  let start: EpochStart | undefined;
  for (const item of scanFrames(disk, file, 0, end)) {
    // A file of another log, or of another place in this one.
    if (item.header && item.header.epoch !== epoch) return undefined;
    if (item.header?.kind === 'commit') return { epoch, start, body: body ?? 0 };
    if (!item.header || item.header.kind !== 'epoch') continue;
    start = JSON.parse(item.payload.toString()) as EpochStart;
    // A start that is not at the beginning of the file is the second copy: the commits begin right after it.
    if (body !== undefined || item.offset > 0) return { epoch, start, body: item.end };
    body = item.end;
  }
  return start && { epoch, start, body: body ?? 0 };
}
