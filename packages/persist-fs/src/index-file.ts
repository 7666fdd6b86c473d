import { crc32 } from 'node:zlib';
import type { Disk } from './disk.ts';

/** hash 4, second hash 4, epoch 4, frame length 4, offset 6, seq 6, CRC 4. */
const ENTRY_BYTES = 32;
const ENTRIES_PER_READ = 8192;

/** Where an event is: its commit's frame. */
export interface IndexEntry {
  readonly epoch: number;
  readonly offset: number;
  readonly length: number;
  readonly seq: number;
}

/** The bytes of the entries of one commit's events. */
export function encodeEntries(ids: readonly string[], entry: IndexEntry): Buffer {
  const bytes = Buffer.allocUnsafe(ids.length * ENTRY_BYTES);
  ids.forEach((id, ordinal) => {
    const at = ordinal * ENTRY_BYTES;
    const [first, second] = hashes(id);
    bytes.writeUInt32LE(first, at);
    bytes.writeUInt32LE(second, at + 4);
    bytes.writeUInt32LE(entry.epoch, at + 8);
    bytes.writeUInt32LE(entry.length, at + 12);
    bytes.writeUIntLE(entry.offset, at + 16, 6);
    bytes.writeUIntLE(entry.seq, at + 22, 6);
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 28)), at + 28);
  });
  return bytes;
}

/**
 * The index of a log: one entry of fixed width per event, at the event's number. A cache: each entry carries a CRC, is
 * checked against the frame it points to, and whatever is missing is made again from the log.
 */
export class IndexFile {
  /** The width of an entry. */
  static readonly entryBytes: number = ENTRY_BYTES;
  readonly #disk: Disk;
  readonly #file: number;

  constructor(disk: Disk, file: number) {
    this.#disk = disk;
    this.#file = file;
  }

  /** How many entries fit into the file. */
  get length(): number {
    return Math.floor(this.#disk.size(this.#file) / ENTRY_BYTES);
  }

  /** Writes entries from event `from` on. */
  write(from: number, entries: Uint8Array): void {
    let written = 0;
    while (written < entries.length) {
      const count = this.#disk.write(this.#file, entries.subarray(written), from * ENTRY_BYTES + written);
      // A short write is not tried again: the index is a cache, and the log needs the space.
      if (count === 0) return;
      written += count;
    }
  }

  /** The entry of an event; `undefined` when it is missing or damaged. */
  entry(event: number): IndexEntry | undefined {
    const bytes = Buffer.allocUnsafe(ENTRY_BYTES);
    return this.#disk.read(this.#file, bytes, event * ENTRY_BYTES) === ENTRY_BYTES ? decodeEntry(bytes, 0) : undefined;
  }

  /** The number of the first entry that cannot be read; `to` when all before it can. */
  wholeUntil(to: number): number {
    for (const { bytes, count, from } of this.#blocks(to)) {
      for (let ordinal = 0; ordinal < count; ordinal++)
        if (!decodeEntry(bytes, ordinal * ENTRY_BYTES)) return from + ordinal;
    }
    return Math.min(to, this.length);
  }

  /** The numbers before `to` whose entries carry the hash of this id, ascending. */
  *candidates(id: string, to: number): Generator<number, void, undefined> {
    const [first, second] = hashes(id);
    for (const { bytes, count, from } of this.#blocks(to)) {
      for (let ordinal = 0; ordinal < count; ordinal++) {
        const at = ordinal * ENTRY_BYTES;
        if (bytes.readUInt32LE(at) === first && bytes.readUInt32LE(at + 4) === second) yield from + ordinal;
      }
    }
  }

  /** Tells whether an event's entry carries the hash of an id; for many events, from one reading of the index. */
  matcher(to: number): (event: number, id: string) => boolean {
    const blocks: Buffer[] = [];
    // each block is read into the same bytes
    for (const { bytes, count } of this.#blocks(to)) blocks.push(Buffer.from(bytes.subarray(0, count * ENTRY_BYTES)));
    const all = Buffer.concat(blocks);
    return (event, id) => {
      const at = event * ENTRY_BYTES;
      if (at + ENTRY_BYTES > all.length) return false;
      const [first, second] = hashes(id);
      return all.readUInt32LE(at) === first && all.readUInt32LE(at + 4) === second;
    };
  }

  close(): void {
    this.#disk.close(this.#file);
  }

  *#blocks(to: number): Generator<{ bytes: Buffer; count: number; from: number }, void, undefined> {
    const bytes = Buffer.allocUnsafe(Math.min(to, ENTRIES_PER_READ) * ENTRY_BYTES);
    for (let from = 0; from < to;) {
      const wanted = Math.min(ENTRIES_PER_READ, to - from);
      const read = this.#disk.read(this.#file, bytes.subarray(0, wanted * ENTRY_BYTES), from * ENTRY_BYTES);
      const count = Math.floor(read / ENTRY_BYTES);
      if (count === 0) return;
      yield { bytes, count, from };
      from += count;
    }
  }
}

function decodeEntry(bytes: Buffer, at: number): IndexEntry | undefined {
  if (crc32(bytes.subarray(at, at + 28)) !== bytes.readUInt32LE(at + 28)) return undefined;
  const length = bytes.readUInt32LE(at + 12);
  // A hole reads as zeros.
  if (length === 0) return undefined;
  const epoch = bytes.readUInt32LE(at + 8);
  return { epoch, length, offset: bytes.readUIntLE(at + 16, 6), seq: bytes.readUIntLE(at + 22, 6) };
}

/** Two hashes that fail differently: a CRC and FNV-1a. */
function hashes(id: string): [number, number] {
  let fnv = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) fnv = Math.imul(fnv ^ id.charCodeAt(at), 0x01000193);
  return [crc32(id), fnv >>> 0];
}
