import { crc32 } from '@conv/store-kit/system';
import type { Disk } from '../disk/disk.ts';
import { isHeld, lifeOfProcess, thisProcess, type StoredProcess } from '../disk/process-identity.ts';
import { withFile } from '../disk/whole-file.ts';

const BYTES = 1024;

/** The end of the durable and acknowledged part of an epoch's file. */
export interface Published {
  readonly epoch: number;
  readonly durable: number;
  readonly seq: number;
  readonly event: number;
  /** The inode of the epoch's file, which tells it from a copy. Records of older versions have none. */
  readonly inode?: number | undefined;
}

/**
 * The contents of `owner.json`: who writes, whether it lives, and how far the log is durable. The file is written in
 * place and never synced, because no promise rests on it. After a loss of power the log alone counts.
 */
export interface OwnerRecord extends Published {
  /** For people. */
  readonly owner: string;
  readonly token: string;
  readonly process: StoredProcess;
  /** Epoch milliseconds of the last heartbeat. */
  readonly renewedAt: number;
  /** Milliseconds without a heartbeat after which others may take over. */
  readonly patience: number;
  /** True if the owner has closed, so that everything below is final. */
  readonly released: boolean;
  /** The end that the previous owner had published, while a takeover is under way. */
  readonly previous?: Published;
  /** OpenHands' folder holds the files of all events before this one. */
  readonly viewedEvents: number;
  /** The time of change of the folder of event files when it held exactly those; `null` if that was not checked. */
  readonly eventsModified: number | null;
}

/** Encodes `owner.json`. Its length is always the same, so that it can be overwritten in place. */
export function encodeOwner(record: OwnerRecord): Buffer {
  const text = JSON.stringify(record.owner.length > 200 ? { ...record, owner: record.owner.slice(0, 200) } : record);
  const signed = `${text.slice(0, -1)},"crc":${crc32(text)}}`;
  return Buffer.from(`${signed.padEnd(BYTES - 1)}\n`);
}

/** Reads `owner.json`. Returns `undefined` if it is missing or not whole: the file is a hint, so that is not an error. */
export function readOwner(disk: Disk, path: string): OwnerRecord | undefined {
  const bytes = Buffer.alloc(4 * BYTES);
  return withFile(disk, path, (file) => decodeOwner(bytes.toString('utf8', 0, disk.read(file, bytes, 0))));
}

function decodeOwner(text: string): OwnerRecord | undefined {
  try {
    const { crc, ...record } = JSON.parse(text) as OwnerRecord & { crc: number };
    return crc32(JSON.stringify(record)) === crc ? record : undefined;
  } catch {
    // an incomplete write
    return undefined;
  }
}

/** Returns true if the owner has not closed, is not known to be dead, and gave a heartbeat in time. */
export function isLive(record: OwnerRecord, now: number): boolean {
  if (record.released) return false;
  const life = lifeOfProcess(record.process);
  if (life === 'dead') return false;
  if (life === 'alive' && record.process.pid === thisProcess().pid && !isHeld(record.token)) return false;
  // A heartbeat from the future was given before the clock was set back. The owner will give another one.
  return now < record.renewedAt + record.patience && record.renewedAt <= now + record.patience;
}

/** Returns the end that an owner had published. A claimant that has not begun repeats the end of its predecessor. */
export function published(record: OwnerRecord): Published {
  const { epoch, durable, seq, event, inode } = record.durable === 0 && record.previous ? record.previous : record;
  return { epoch, durable, seq, event, inode };
}
