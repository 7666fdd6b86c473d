import type { FrameReceiver, ResponseFrames } from './response-frames.ts';

/** Bytes of frames that are kept for clients that come later, and for slow ones. */
const KEPT = 1024 * 1024;

/** Joined frames: of the frames from one number up to another one. */
interface Joined {
  readonly from: number;
  readonly to: number;
  readonly before: Uint8Array | undefined;
  readonly bytes: Uint8Array;
}

/** A client of shared frames. */
class SharedClient implements ResponseFrames {
  readonly areShared = true;
  readonly #frames: SharedFrames;
  readonly #signal: AbortSignal | undefined;
  readonly #cut = (): void => this.end({ error: this.#signal?.reason });
  #receiver: FrameReceiver | undefined;
  /** The end of the frames, if it came before the client had a receiver. */
  #ended: Parameters<FrameReceiver['end']> | undefined;
  #left: Promise<void> | undefined;
  /** Bytes in front of each frame, which are those of this client; `undefined` for none. */
  readonly before: Uint8Array | undefined;
  /** The number of the next frame. */
  next = 0;
  /** True if it takes what comes. */
  isAsking = false;

  constructor(frames: SharedFrames, signal: AbortSignal | undefined, before: Uint8Array | undefined) {
    this.#frames = frames;
    this.#signal = signal;
    this.before = before;
  }

  /** Ends with its signal from now on. */
  enter(): void {
    if (this.#signal?.aborted === true) this.#cut();
    else this.#signal?.addEventListener('abort', this.#cut, { once: true });
  }

  begin(receiver: FrameReceiver): void {
    this.#receiver = receiver;
    if (this.#ended) receiver.end(...this.#ended);
  }

  more(): void {
    if (this.#left) return;
    this.isAsking = true;
    this.#frames.give(this);
  }

  leave(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#cut);
    this.isAsking = false;
    this.#left ??= this.#frames.leave(this);
    return this.#left;
  }

  take(bytes: Uint8Array): void {
    // the client may ask while it takes
    this.isAsking = false;
    if (this.#receiver?.take(bytes) === true) this.isAsking = true;
  }

  end(...failure: Parameters<FrameReceiver['end']>): void {
    if (this.#left) return;
    void this.leave();
    this.#ended = failure;
    this.#receiver?.end(...failure);
  }
}

/** The shared frames of each conversation, by their keys. */
const shared = new WeakMap<object, Map<string, SharedFrames>>();

/**
 * The frames of one iteration, of all clients with the same key. The iteration goes at the pace of the quickest client. A client that comes
 * later gets the frames from the first one on. A client is given all frames that there are at once, so that a server with many clients
 * sends fewer and larger pieces.
 *
 * Invariant: `#frames` has the frames from `#first` on, among them all frames that no client has taken. Only a client that was too slow needs an earlier frame.
 */
export class SharedFrames {
  readonly #left = new AbortController();
  readonly #clients = new Set<SharedClient>();
  readonly #forget: () => void;
  #frames: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  /** Bytes of all frames that there were. */
  #told = 0;
  /** Bytes that the quickest client has taken. */
  #taken = 0;
  #joined: Joined | undefined;
  #end: Parameters<FrameReceiver['end']> | undefined;
  readonly #reading: Promise<void>;
  /** Called when a client has taken everything, if the iteration waits for that. */
  #room: (() => void) | undefined;

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

  /**
   * Adds a client, which gets the frames from the first one on. If another client is so much quicker that its next frames are gone, it gets an error and comes
   * back with its cursor.
   * @param signal ends the frames of this client, with its reason
   * @param before bytes in front of each of its frames
   */
  enter(signal?: AbortSignal, before?: Uint8Array): ResponseFrames {
    const client = new SharedClient(this, signal, before);
    this.#clients.add(client);
    client.enter();
    return client;
  }

  /** Takes a client out. The last one ends the iteration; resolves when it has ended. */
  async leave(client: SharedClient): Promise<void> {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#forget();
    this.#left.abort();
    this.#room?.();
    await this.#reading;
  }

  /** Gives a client that asks what there is. */
  give(client: SharedClient): void {
    const to = this.#first + this.#frames.length;
    if (client.next < this.#first)
      client.end({ error: new Error('expected a client that reads; the frames for it are gone') });
    else if (client.next < to) {
      const bytes = this.#join(client, to);
      client.next = to;
      this.#taken = this.#told;
      client.take(bytes);
      this.#room?.();
      if (client.isAsking && this.#end) client.end(...this.#end);
    } else if (this.#end) client.end(...this.#end);
  }

  async #read(frames: AsyncGenerator<Uint8Array>): Promise<void> {
    try {
      for await (const frame of frames) {
        this.#add(frame);
        while (this.#told - this.#taken > KEPT && !this.#left.signal.aborted) await this.#untilRoom();
      }
      this.#end = [];
    } catch (error) {
      this.#end = [{ error }];
    }
    this.#forget();
    this.#ring();
  }

  async #untilRoom(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#room = resolve;
    await promise;
    this.#room = undefined;
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
  #join({ next: from, before }: SharedClient, to: number): Uint8Array {
    const known = this.#joined;
    if (known?.from === from && known.to === to && isSame(known.before, before)) return known.bytes;
    const frames = this.#frames.slice(from - this.#first);
    const pieces = before ? frames.flatMap((frame) => [before, frame]) : frames;
    const [only] = pieces;
    const bytes = pieces.length === 1 && only ? only : concatenated(pieces);
    this.#joined = { from, to, before, bytes };
    return bytes;
  }

  /** Gives each client that takes more what there is now. */
  #ring(): void {
    for (const client of this.#clients) if (client.isAsking) this.give(client);
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
