import { readIfThere } from './read-if-there.ts';

const HEADER = 32;
const FRAME_HEADER = 24;

/**
 * True if the write-ahead log beside a database is damaged with more after the damage: from some frame on it does not check, and
 * a later frame of the same generation ends a transaction. A log that merely ends early, like a copy made during a write, is not
 * damaged. See https://www.sqlite.org/fileformat2.html, 4.
 */
export function isWalDamaged(database: string): boolean {
  const wal = readIfThere(`${database}-wal`);
  if (!wal || wal.length <= HEADER + FRAME_HEADER) return false;
  const magic = wal.readUInt32BE(0);
  const sum = new Checksum((magic & 1) === 1);
  sum.add(wal.subarray(0, 24));
  if ((magic & ~1) !== 0x377f0682 || !sum.equals(wal, 24)) return true;
  const size = FRAME_HEADER + wal.readUInt32BE(8);
  let at = HEADER;
  while (at + size <= wal.length && isFrame(wal, at, size, sum)) at += size;
  for (; at + size <= wal.length; at += size) {
    if (hasSalt(wal, at) && wal.readUInt32BE(at + 4) !== 0) return true;
  }
  return false;
}

/** True if the frame continues the log; then adds it to the sum. */
function isFrame(wal: Buffer, at: number, size: number, sum: Checksum): boolean {
  if (!hasSalt(wal, at) || wal.readUInt32BE(at) === 0) return false;
  sum.add(wal.subarray(at, at + 8));
  sum.add(wal.subarray(at + FRAME_HEADER, at + size));
  return sum.equals(wal, at + 16);
}

/** True if the frame was written since the log was last restarted. */
function hasSalt(wal: Buffer, at: number): boolean {
  return wal.compare(wal, 16, 24, at + 8, at + 16) === 0;
}

/** Running sum of a write-ahead log. */
class Checksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      this.#first = (this.#first + view.getUint32(at, !this.#isBigEndian) + this.#second) >>> 0;
      this.#second = (this.#second + view.getUint32(at + 4, !this.#isBigEndian) + this.#first) >>> 0;
    }
  }

  equals(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second;
  }
}
