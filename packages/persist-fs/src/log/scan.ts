import type { Disk } from '../disk/disk.ts';
import { decodeFrameHeader, FRAME_HEADER_BYTES, FRAME_MAGIC, isPayload, type ReadFrameHeader } from './frame.ts';

const CHUNK = 256 * 1024;

/** A whole frame. `payload` is valid until the next frame is requested. */
export interface Frame {
  readonly header: ReadFrameHeader;
  readonly offset: number;
  /** Where the next frame begins. */
  readonly end: number;
  readonly payload: Buffer;
}

/** Bytes that are not a frame: damage, or a torn tail when nothing follows. */
export interface Gap {
  readonly header?: undefined;
  readonly offset: number;
  readonly end: number;
}

/** The frames in a span of a file, and the gaps between them, in order. Memory is bounded by the largest frame. */
export function* scanFrames(
  disk: Disk,
  file: number,
  from: number,
  limit: number,
): Generator<Frame | Gap, void, undefined> {
  const to = Math.min(limit, disk.size(file));
  const window = new Window(disk, file, to);
  let offset = from;
  while (offset < to) {
    const frame = frameAt(window, offset);
    if (frame) {
      yield frame;
      offset = frame.end;
      continue;
    }
    const next = nextFrame(window, offset + 1);
    yield { offset, end: next ?? to };
    offset = next ?? to;
  }
}

/** The header of the frame at `offset`; `undefined` when none begins there. */
export function readHeader(disk: Disk, file: number, offset: number): ReadFrameHeader | undefined {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
  return disk.read(file, bytes, offset) === bytes.length ? decodeFrameHeader(bytes, 0) : undefined;
}

/** The whole frame at `offset`, if one begins there and ends before the window does. */
function frameAt(window: Window, offset: number): Frame | undefined {
  const at = window.hold(offset, FRAME_HEADER_BYTES);
  const header = at === undefined ? undefined : decodeFrameHeader(window.chunk, at);
  if (!header) return undefined;
  const payload = window.bytes(offset + FRAME_HEADER_BYTES, header.length);
  if (!payload || !isPayload(header, payload)) return undefined;
  return { header, offset, end: offset + FRAME_HEADER_BYTES + header.length, payload };
}

function nextFrame(window: Window, from: number): number | undefined {
  for (let at = window.indexOf(FRAME_MAGIC, from); at !== undefined; at = window.indexOf(FRAME_MAGIC, at + 1)) {
    if (frameAt(window, at)) return at;
  }
  return undefined;
}

/** A file read in chunks. */
class Window {
  readonly #disk: Disk;
  readonly #file: number;
  readonly #to: number;
  #start = 0;
  #room: Buffer = Buffer.alloc(0);
  /** The bytes that were read last. */
  chunk: Buffer = this.#room;

  constructor(disk: Disk, file: number, to: number) {
    this.#disk = disk;
    this.#file = file;
    this.#to = to;
  }

  /** Returns where the bytes at `offset` begin in the chunk; `undefined` when the file or the span ends before them. */
  hold(offset: number, length: number): number | undefined {
    if (offset + length > this.#to) return undefined;
    const at = offset - this.#start;
    if (at >= 0 && at + length <= this.chunk.length) return at;
    this.#load(offset, length);
    return length <= this.chunk.length ? 0 : undefined;
  }

  /** The bytes at `offset`, until other bytes are read; `undefined` when the file or the span ends before them. */
  bytes(offset: number, length: number): Buffer | undefined {
    const at = this.hold(offset, length);
    return at === undefined ? undefined : this.chunk.subarray(at, at + length);
  }

  /** Returns the offset at which `pattern` begins at or after `from`; `undefined` if it is nowhere in the span. */
  indexOf(pattern: Uint8Array, from: number): number | undefined {
    for (let offset = from; offset + pattern.length <= this.#to;) {
      const length = Math.min(CHUNK, this.#to - offset);
      const bytes = this.bytes(offset, length);
      if (!bytes) return undefined;
      const found = bytes.indexOf(pattern);
      if (found >= 0) return offset + found;
      offset += length - pattern.length + 1;
    }
    return undefined;
  }

  #load(offset: number, length: number): void {
    const wanted = Math.min(Math.max(length, CHUNK), this.#to - offset);
    // one buffer for a whole log: a payload is valid until the next frame is requested, and new memory costs more than reading
    if (this.#room.length < wanted) this.#room = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const read = this.#disk.read(this.#file, this.#room.subarray(filled, wanted), offset + filled);
      if (read === 0) break;
      filled += read;
    }
    this.#start = offset;
    this.chunk = this.#room.subarray(0, filled);
  }
}
