import { crc32 } from '@conv/store-kit/system';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { giveBackQuietly } from '../disk/give-back.ts';
import { IdTable } from './id-table.ts';
import { openOwn } from '../disk/own-file.ts';

/** The layout of an entry: hash 4, second hash 4, epoch 4, frame length 4, offset 6, seq 6, CRC 4. */
const ENTRY_BYTES = 32;
const ENTRIES_PER_READ = 8192;

/** The place of an event: its commit's frame. */
export interface IndexEntry {
  readonly epoch: number;
  readonly offset: number;
  readonly length: number;
  readonly seq: number;
}

/** Encodes the entries of one commit's events. */
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
 * The index of a log: one entry of fixed width per event, at the event's number. It is a cache: each entry carries a
 * CRC and is checked against the frame that it points to, and missing entries are made again from the log. The file is
 * opened when it is used, and stays open until {@link IndexFile.rest}.
 */
export class IndexFile {
  /** The width of an entry. */
  static readonly entryBytes: number = ENTRY_BYTES;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #mode: 'read' | 'update';
  #file: number | undefined;
  /** Made when an id is sought for the first time. */
  #table: IdTable | undefined;
  /** The table holds the entries before this one. */
  #tabled = 0;
  /** Entries in the table that are not whole. */
  #damaged: Set<number> | undefined;

  /** `update`: the file is made if it is missing. Nothing is opened yet. */
  constructor(disk: Disk, path: string, mode: 'read' | 'update') {
    this.#disk = disk;
    this.#path = path;
    this.#mode = mode;
  }

  /** The number of entries that fit into the file. */
  get length(): number {
    const file = this.#opened();
    return file === undefined ? 0 : Math.floor(this.#disk.size(file) / ENTRY_BYTES);
  }

  /** Writes entries from event `from` on. Returns true if all of them fitted. */
  write(from: number, entries: Uint8Array): boolean {
    const file = this.#opened() ?? this.#made();
    let written = 0;
    while (written < entries.length) {
      const count = this.#disk.write(file, entries.subarray(written), from * ENTRY_BYTES + written);
      // A short write is not tried again: the index is a cache, and the log needs the space.
      if (count === 0) return false;
      written += count;
    }
    return true;
  }

  /** Returns the entry of an event; `undefined` if it is missing or damaged. */
  entry(event: number): IndexEntry | undefined {
    const bytes = Buffer.allocUnsafe(ENTRY_BYTES);
    return this.#read(bytes, event) === ENTRY_BYTES ? decodeEntry(bytes, 0) : undefined;
  }

  /** True if an event's entry is whole and carries the hash of this id. */
  carries(event: number, id: string): boolean {
    const bytes = Buffer.allocUnsafe(ENTRY_BYTES);
    if (this.#read(bytes, event) < ENTRY_BYTES || !decodeEntry(bytes, 0)) return false;
    const [first, second] = hashes(id);
    return bytes.readUInt32LE(0) === first && bytes.readUInt32LE(4) === second;
  }

  /** The number of the first entry, not before `begin`, that cannot be read; `to` when all before it can. */
  wholeUntil(to: number, begin: number = 0): number {
    for (const { bytes, count, from } of this.#blocks(to, begin)) {
      for (let ordinal = 0; ordinal < count; ordinal++)
        if (!decodeEntry(bytes, ordinal * ENTRY_BYTES)) return from + ordinal;
    }
    return Math.min(to, Math.max(begin, this.length));
  }

  /**
   * Yields the numbers before `to` whose entries carry the hash of this id, ascending, and then the numbers whose
   * entries are damaged, because they may carry it too. The first call reads the whole index, later calls read what was
   * added since.
   */
  *candidates(id: string, to: number): Generator<number, void, undefined> {
    const [first, second] = hashes(id);
    const table = this.#tableUntil(to);
    const bytes = Buffer.allocUnsafe(8);
    for (const event of table.numbers(first)) {
      if (event >= to || this.#read(bytes, event) < bytes.length) continue;
      if (bytes.readUInt32LE(0) === first && bytes.readUInt32LE(4) === second) yield event;
    }
    for (const { bytes: block, count, from } of this.#blocks(to, this.#tabled)) {
      for (let ordinal = 0; ordinal < count; ordinal++) {
        const at = ordinal * ENTRY_BYTES;
        if (block.readUInt32LE(at) === first && block.readUInt32LE(at + 4) === second) yield from + ordinal;
      }
    }
    for (const event of this.#damaged ?? []) if (event < to) yield event;
  }

  /** Returns the table with the entries before `to`, as far as it may grow. */
  #tableUntil(to: number): IdTable {
    const table = (this.#table ??= new IdTable());
    for (const { bytes, count, from } of this.#blocks(to, this.#tabled)) {
      for (let ordinal = 0; ordinal < count; ordinal++) {
        if (table.isFull) {
          if (!table.canGrow) return table;
          table.clear(to * 2);
          this.#tabled = 0;
          return this.#tableUntil(to);
        }
        if (!decodeEntry(bytes, ordinal * ENTRY_BYTES)) (this.#damaged ??= new Set()).add(from + ordinal);
        table.add(bytes.readUInt32LE(ordinal * ENTRY_BYTES), from + ordinal);
        this.#tabled = from + ordinal + 1;
      }
    }
    return table;
  }

  /** Returns a function that compares an event's entry with an id, for many events from one reading of the index. */
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

  /** Gives the descriptor back; the next use opens the file again. */
  rest(): void {
    const file = this.#file;
    this.#file = undefined;
    // No promise rests on the index, and the descriptor is gone whatever `close` answers.
    if (file !== undefined) giveBackQuietly(() => this.#disk.close(file));
  }

  /** Makes the file. Anything else in its place, such as a link out of the folder, is removed, not written through. */
  #made(): number {
    ifThere(() => this.#disk.remove(this.#path));
    return (this.#file = this.#disk.open(this.#path, 'create'));
  }

  #opened(): number | undefined {
    if (this.#file !== undefined) return this.#file;
    return (this.#file = openOwn(this.#disk, this.#path, this.#mode));
  }

  /** Reads from an event's entry on; a file that is not there reads as an empty one. */
  #read(target: Uint8Array, event: number): number {
    const file = this.#opened();
    return file === undefined ? 0 : this.#disk.read(file, target, event * ENTRY_BYTES);
  }

  *#blocks(to: number, begin = 0): Generator<{ bytes: Buffer; count: number; from: number }, void, undefined> {
    if (begin >= to) return;
    const bytes = Buffer.allocUnsafe(Math.min(to - begin, ENTRIES_PER_READ) * ENTRY_BYTES);
    for (let from = begin; from < to;) {
      const wanted = Math.min(ENTRIES_PER_READ, to - from);
      const read = this.#read(bytes.subarray(0, wanted * ENTRY_BYTES), from);
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
