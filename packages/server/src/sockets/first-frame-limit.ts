/** Maximum bytes of the frame with a key, which usually has a few hundred. */
const MOST_BYTES = 4 * 1024;

/** Maximum number of control frames, such as pings, before that frame. */
const MOST_CONTROL_FRAMES = 16;

const MASK = 4;

/**
 * Checks the raw bytes of a client without a key before they are assembled. Its first data frame must be small and in one piece
 * (RFC 6455, 5.2). Bytes after that frame are not checked.
 */
export class FirstFrameLimit {
  /** The received part of the arriving frame's head. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the arriving frame's content that are still missing. */
  #rest = 0;
  #controlFrames = 0;
  #done = false;

  /** Returns false when the client has sent more than it may. */
  admits(chunk: Buffer): boolean {
    let bytes = chunk;
    while (bytes.length > 0 && !this.#done) {
      const skipped = Math.min(this.#rest, bytes.length);
      this.#rest -= skipped;
      bytes = bytes.subarray(skipped);
      if (bytes.length === 0) break;
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, 1)]);
      bytes = bytes.subarray(1);
      const frame = frameOf(this.#head);
      if (!frame) continue;
      this.#head = Buffer.alloc(0);
      if (frame.length > MOST_BYTES || !frame.isWhole) return false;
      if (frame.isControl && ++this.#controlFrames > MOST_CONTROL_FRAMES) return false;
      this.#done = !frame.isControl;
      this.#rest = frame.length + (frame.isMasked ? MASK : 0);
    }
    return true;
  }
}

interface Frame {
  readonly isWhole: boolean;
  readonly isControl: boolean;
  readonly isMasked: boolean;
  readonly length: number;
}

/** Returns the head of a frame up to its length; `undefined` while it is incomplete. */
function frameOf(head: Buffer): Frame | undefined {
  if (head.length < 2) return undefined;
  const [first = 0, second = 0] = head;
  const short = second & 0x7f;
  const needed = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (head.length < needed) return undefined;
  const length = short < 126 ? short : short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
  return { isWhole: (first & 0x80) !== 0, isControl: (first & 0x08) !== 0, isMasked: (second & 0x80) !== 0, length };
}
