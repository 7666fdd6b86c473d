import { crc32 } from 'node:zlib';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { isHeld, lifeOfProcess, thisProcess, type StoredProcess } from '../disk/process-identity.ts';

const BYTES = 1024;

/** The end of what is durable and acknowledged in an epoch's file. */
export interface Published {
  readonly epoch: number;
  readonly durable: number;
  readonly seq: number;
  readonly event: number;
  /** Of the epoch's file, so that a copy of it is told from it. Records of older versions have none. */
  readonly inode?: number | undefined;
}

/**
 * What `owner.json` says: who writes, whether it lives, and how far the log is durable. It is written in place and never
 * synced: no promise rests on it. After a loss of power the log alone counts.
 */
export interface OwnerRecord extends Published {
  /** For people. */
  readonly owner: string;
  readonly token: string;
  readonly process: StoredProcess;
  /** Epoch milliseconds of the last sign of life. */
  readonly renewedAt: number;
  /** After this many milliseconds without a sign of life others may take over. */
  readonly patience: number;
  /** The owner has closed: everything below is final. */
  readonly released: boolean;
  /** While a takeover is under way: what the owner before had published. */
  readonly previous?: Published;
  /** The compatible view holds the files of all events before this one. */
  readonly viewedEvents: number;
  /** When the folder of event files was last seen to hold exactly those; `null` when not checked. */
  readonly eventsModified: number | null;
}

/** The bytes of `owner.json`: always as many, so that it can be overwritten in place. */
export function encodeOwner(record: OwnerRecord): Buffer {
  const text = JSON.stringify(record.owner.length > 200 ? { ...record, owner: record.owner.slice(0, 200) } : record);
  const signed = `${text.slice(0, -1)},"crc":${crc32(text)}}`;
  return Buffer.from(`${signed.padEnd(BYTES - 1)}\n`);
}

/** What `owner.json` says. `undefined` when it is missing or not whole, which is no error: it is a hint. */
export function readOwner(disk: Disk, path: string): OwnerRecord | undefined {
  const file = ifThere(() => disk.open(path, 'read'));
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(4 * BYTES);
    return decodeOwner(bytes.toString('utf8', 0, disk.read(file, bytes, 0)));
  } finally {
    disk.close(file);
  }
}

function decodeOwner(text: string): OwnerRecord | undefined {
  try {
    const { crc, ...record } = JSON.parse(text) as OwnerRecord & { crc: number };
    return crc32(JSON.stringify(record)) === crc ? record : undefined;
  } catch {
    // half-written
    return undefined;
  }
}

/** Whether the owner is to be left alone: it has not closed, is not known to be dead, and gave a sign of life in time. */
export function isLive(record: OwnerRecord, now: number): boolean {
  if (record.released) return false;
  const life = lifeOfProcess(record.process);
  if (life === 'dead') return false;
  if (life === 'alive' && record.process.pid === thisProcess().pid && !isHeld(record.token)) return false;
  // A sign of life from the future was given before the clock was set back; the owner will give another one.
  return now < record.renewedAt + record.patience && record.renewedAt <= now + record.patience;
}

/** What an owner had published. A claimant that has not begun says what the owner before it had. */
export function published(record: OwnerRecord): Published {
  const { epoch, durable, seq, event, inode } = record.durable === 0 && record.previous ? record.previous : record;
  return { epoch, durable, seq, event, inode };
}
