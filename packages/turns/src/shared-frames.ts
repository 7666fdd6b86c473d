/** Bytes of frames that are kept for clients that come later, and for slow ones. */
const KEPT = 1024 * 1024;

/** Joined frames: of the frames from one number up to another one. */
interface Joined {
  readonly from: number;
  readonly to: number;
  readonly before: Uint8Array | undefined;
  readonly bytes: Uint8Array;
}

/** The place of a client in shared frames. */
export interface FrameReader {
  /** The number of the next frame. */
  next: number;
  /** Bytes in front of each frame, which are those of this client; `undefined` for none. */
  readonly before: Uint8Array | undefined;
}

/** The shared frames of each conversation, by their keys. */
const shared = new WeakMap<object, Map<string, SharedFrames>>();

/**
 * The frames of one iteration, of all clients with the same key. The iteration goes at the pace of the quickest client. A client that comes
 * later gets the frames from the first one on. A client takes all frames that there are at once, so that a server with many clients
 * sends fewer and larger pieces.
 *
 * Invariant: `#frames` has the frames from `#first` on, among them all frames that no client has taken. Only a client that was too slow needs an earlier frame.
 */
export class SharedFrames {
  readonly #left = new AbortController();
  readonly #readers = new Set<FrameReader>();
  readonly #forget: () => void;
  #frames: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  /** Bytes of all frames that there were. */
  #told = 0;
  /** Bytes that the quickest client has taken. */
  #taken = 0;
  #joined: Joined | undefined;
  #end: { readonly error?: unknown } | undefined;
  readonly #reading: Promise<void>;
  #change = Promise.withResolvers<void>();
  #room = Promise.withResolvers<void>();

  private constructor(frames: (signal: AbortSignal) => AsyncGenerator<Uint8Array>, forget: () => void) {
    this.#forget = forget;
    this.#reading = this.#read(frames(this.#left.signal));
  }

  /**
   * Returns the frames that clients of `of` share by a key, and begins them if there are none.
   * @param of the conversation
   * @param key everything that the frames follow from beside the log
   */
  static of(of: object, key: string, frames: (signal: AbortSignal) => AsyncGenerator<Uint8Array>): SharedFrames {
    const byKey = shared.get(of) ?? new Map<string, SharedFrames>();
    shared.set(of, byKey);
    const known = byKey.get(key);
    if (known) return known;
    const made: SharedFrames = new SharedFrames(frames, () => {
      if (byKey.get(key) === made) byKey.delete(key);
    });
    byKey.set(key, made);
    return made;
  }

  /** Adds a client, which reads from the first frame on, each behind these bytes. */
  enter(before?: Uint8Array): FrameReader {
    const reader = { next: 0, before };
    this.#readers.add(reader);
    return reader;
  }

  /** Takes a client out. The last one ends the iteration; resolves when it has ended. */
  async leave(reader: FrameReader): Promise<void> {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#forget();
    this.#left.abort();
    this.#room.resolve();
    await this.#reading;
  }

  /**
   * Resolves with the next frames of a client; `undefined` at the end. Rejects with the error of the iteration, and if another client was so much quicker
   * that the next frames are gone: the client comes back with its cursor.
   */
  async take(reader: FrameReader): Promise<Uint8Array | undefined> {
    for (;;) {
      if (reader.next < this.#first) throw new Error('expected a client that reads; the frames for it are gone');
      const to = this.#first + this.#frames.length;
      if (reader.next < to) {
        const bytes = this.#join(reader, to);
        reader.next = to;
        this.#taken = this.#told;
        this.#room.resolve();
        this.#room = Promise.withResolvers<void>();
        return bytes;
      }
      if (this.#end && 'error' in this.#end) throw this.#end.error;
      if (this.#end) return undefined;
      await this.#change.promise;
    }
  }

  async #read(frames: AsyncGenerator<Uint8Array>): Promise<void> {
    try {
      for await (const frame of frames) {
        this.#add(frame);
        while (this.#told - this.#taken > KEPT && !this.#left.signal.aborted) await this.#room.promise;
      }
      this.#end = {};
    } catch (error) {
      this.#end = { error };
    }
    this.#forget();
    this.#ring();
  }

  #add(frame: Uint8Array): void {
    this.#frames.push(frame);
    this.#bytes += frame.length;
    this.#told += frame.length;
    if (this.#bytes > KEPT) this.#drop();
    this.#ring();
  }

  /** Drops the oldest half of the frames, as far as a client has taken them. From then on no client begins with them. */
  #drop(): void {
    let count = 0;
    for (const { length } of this.#frames) {
      if (this.#bytes <= KEPT / 2 || this.#told - this.#bytes + length > this.#taken) break;
      this.#bytes -= length;
      count++;
    }
    if (count === 0) return;
    this.#forget();
    this.#frames = this.#frames.slice(count);
    this.#first += count;
  }

  /** Returns frames as one piece. Clients that are equally far share it, unless each has other bytes in front of them. */
  #join({ next: from, before }: FrameReader, to: number): Uint8Array {
    const known = this.#joined;
    if (known?.from === from && known.to === to && isSame(known.before, before)) return known.bytes;
    const frames = this.#frames.slice(from - this.#first);
    const pieces = before ? frames.flatMap((frame) => [before, frame]) : frames;
    const [only] = pieces;
    const bytes = pieces.length === 1 && only ? only : concatenated(pieces);
    this.#joined = { from, to, before, bytes };
    return bytes;
  }

  #ring(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one?.length === other?.length && one?.every((byte, at) => byte === other?.[at]) !== false;
}

function concatenated(frames: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}
