import type { EndMark } from './end-mark.ts';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import { KeptFile, type KeptLine } from './kept-file.ts';
import { readIfThere } from './read-if-there.ts';

/** Marks beside a database as they were found. */
export interface FoundMarks {
  readonly marks: readonly EndMark[];
  /** True if the marks were written beside this very file, and not beside another file of which it is a copy. */
  readonly isInPlace: boolean;
  /** Generation of the file that the marks belong to; `undefined` when the header is damaged. */
  readonly generation: number | undefined;
  /** Newest copy of the settings of each conversation, by its key. */
  readonly kept: ReadonlyMap<number, string>;
}

/** Length of a mark in bytes. A conversation's mark stands at its key times this length; the header stands at 0. */
const BYTES = 64;
const MAGIC = 'conv ends 1\n';

/** Writes the marks of a database. Skips failed writes, because a mark is a proof and no promise rests on it. */
export class EndMarks {
  readonly #file: string;
  readonly #kept: KeptFile;
  readonly #header: Buffer;
  #descriptor: number | undefined;

  constructor(database: string, generation: number) {
    this.#file = marksFile(database);
    this.#kept = new KeptFile(database);
    this.#header = encodeHeader(database, generation);
  }

  /** Records how far a conversation is acknowledged. */
  set(mark: EndMark): void {
    this.#write(mark.key, encodeMark(mark));
  }

  /** Forgets a conversation durably. If that throws, the conversation must not be deleted. */
  clear(key: number): void {
    this.#kept.forget(key);
    if (!existsSync(this.#file)) return;
    const descriptor = this.#opened();
    writeSync(descriptor, Buffer.alloc(BYTES), 0, BYTES, key * BYTES);
    fdatasyncSync(descriptor);
  }

  /** Keeps a copy of the settings of a conversation. */
  keep(line: KeptLine): void {
    this.#kept.add(line);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(key: number, bytes: Buffer): void {
    try {
      writeSync(this.#opened(), bytes, 0, BYTES, key * BYTES);
    } catch {
      // Without space or descriptor the earlier mark stays, which proves less and nothing wrong.
    }
  }

  #opened(): number {
    // Another process, which closed the database last, may have removed the file.
    if (this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink === 0) this.close();
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.#file, 'a+', 0o600);
      closeSync(this.#descriptor);
      this.#descriptor = openSync(this.#file, 'r+');
      writeSync(this.#descriptor, this.#header, 0, BYTES, 0);
    }
    return this.#descriptor;
  }
}

/**
 * Reads the marks beside a database; returns `undefined` when there are none. Leaves out a damaged mark, and uses the copy of the
 * settings instead, which records a lower bound (docs/decisions/0065-copies-of-settings-prove-an-end.md).
 */
export function readMarks(database: string): FoundMarks | undefined {
  const bytes = readIfThere(marksFile(database)) ?? Buffer.alloc(0);
  const lines = new KeptFile(database).read();
  if (bytes.length < BYTES && lines.size === 0) return undefined;
  const marks: EndMark[] = [];
  for (let at = BYTES; at + BYTES <= bytes.length; at += BYTES) {
    const mark = decodeMark(bytes.subarray(at, at + BYTES));
    if (mark && mark.key * BYTES === at) marks.push(mark);
  }
  const isKnown = new Set(marks.map(({ key }) => key));
  for (const [key, { mark }] of lines) if (!isKnown.has(key) && !isCleared(bytes, key)) marks.push(mark);
  const kept = new Map([...lines].map(([key, line]) => [key, line.kept]));
  const header = bytes.subarray(0, BYTES);
  // Each mark has its own check value, so marks after a damaged header are whole. Only the header tells which file they belong
  // to.
  if (header.length < BYTES || !isWhole(header)) return { marks, isInPlace: false, generation: undefined, kept };
  if (header.toString('latin1', 4, 16) !== MAGIC) return undefined;
  const { ino, birthtimeNs } = statSync(database, { bigint: true });
  const isInPlace = header.readBigUInt64LE(16) === ino && header.readBigInt64LE(24) === birthtimeNs;
  return { marks, isInPlace, generation: header.readInt32LE(32), kept };
}

/** Removes marks that belong to another generation of the file. */
export function dropMarks(database: string): void {
  try {
    new KeptFile(database).remove();
    truncateSync(marksFile(database), 0);
  } catch {
    // There are no marks, or no permission to write; without permission this process writes no commits either.
  }
}

/** Removes the marks when no process has the database open. Every acknowledged commit is in its main file then, and durable. */
export function removeMarks(database: string): void {
  if (statSync(`${database}-wal`, { throwIfNoEntry: false }) !== undefined) return;
  rmSync(marksFile(database), { force: true });
  new KeptFile(database).remove();
}

/** True if the place of a mark is empty because its conversation was deleted. */
function isCleared(bytes: Buffer, key: number): boolean {
  const mark = bytes.subarray(key * BYTES, (key + 1) * BYTES);
  return mark.length === BYTES && mark.every((byte) => byte === 0);
}

function marksFile(database: string): string {
  return `${database}-ends`;
}

function encodeHeader(database: string, generation: number): Buffer {
  const header = Buffer.alloc(BYTES);
  const { ino, birthtimeNs } = statSync(database, { bigint: true });
  header.write(MAGIC, 4, 'latin1');
  header.writeBigUInt64LE(ino, 16);
  header.writeBigInt64LE(birthtimeNs, 24);
  header.writeInt32LE(generation, 32);
  return sealed(header);
}

function encodeMark({ id, key, epoch, seq, event }: EndMark): Buffer {
  const mark = Buffer.alloc(BYTES);
  mark.write(id.replaceAll('-', ''), 4, 16, 'hex');
  for (const [at, value] of [key, epoch, seq, event].entries()) mark.writeDoubleLE(value, 24 + 8 * at);
  return sealed(mark);
}

function decodeMark(mark: Buffer): EndMark | undefined {
  if (!isWhole(mark)) return undefined;
  const id = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
    .exec(mark.toString('hex', 4, 20))
    ?.slice(1)
    .join('-');
  const [key = 0, epoch = 0, seq = 0, event = 0] = [24, 32, 40, 48].map((at) => mark.readDoubleLE(at));
  return id === undefined ? undefined : { id, key, epoch, seq, event };
}

function sealed(record: Buffer): Buffer {
  record.writeUInt32LE(crc32(record.subarray(4)), 0);
  return record;
}

function isWhole(record: Buffer): boolean {
  return record.readUInt32LE(0) === crc32(record.subarray(4));
}
