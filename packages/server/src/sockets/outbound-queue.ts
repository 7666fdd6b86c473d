import type { WebSocket } from 'ws';

/** Limits of the bytes that may wait for one peer. */
export interface OutboundLimits {
  /** Maximum bytes of one frame. */
  readonly frame: number;
  /** Maximum bytes of all pending frames together. */
  readonly pending: number;
}

/** Default limits: 4 MiB per frame, 16 MiB pending. */
const OUTBOUND_LIMITS: OutboundLimits = { frame: 4 * 1024 * 1024, pending: 16 * 1024 * 1024 };

/** The reason that a frame was refused. */
export type Overflow = 'frame_too_large' | 'slow_consumer';

/**
 * Maximum bytes handed to the operating system before the peer has read them. The rest waits in the queue, where it can be
 * dropped at once when the connection is given up.
 */
const AHEAD = 256 * 1024;

const TEXT = { binary: false } as const;

/**
 * The state of a queue. `open`: a frame is handed over at once. `full`: the operating system has the maximum, and frames wait. `closed`: frames are
 * dropped.
 */
type QueueState = 'open' | 'full' | 'closed';

/**
 * A queue of frames for one peer. Adding a frame is synchronous and bounded, so publishers never wait for a peer. Frames are
 * shared between peers and never copied.
 */
export class OutboundQueue {
  readonly #socket: WebSocket;
  readonly #limits: OutboundLimits;
  #frames: Buffer[] = [];
  #next = 0;
  #waitingBytes = 0;
  #state: QueueState = 'open';
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(socket: WebSocket, limits: OutboundLimits = OUTBOUND_LIMITS) {
    this.#socket = socket;
    this.#limits = limits;
  }

  /** Maximum bytes of a frame. */
  get maxFrame(): number {
    return this.#limits.frame;
  }

  /** True if the operating system holds the maximum for this peer. */
  get isFull(): boolean {
    return this.#state === 'full';
  }

  /** Adds a text frame. Returns `undefined` when it was added, or the queue is closed; else the reason of the refusal. */
  admit(frame: Buffer): Overflow | undefined {
    if (this.#state === 'closed') return undefined;
    if (frame.length > this.#limits.frame) return 'frame_too_large';
    const handedOver = this.#socket.bufferedAmount;
    if (this.#waitingBytes + handedOver + frame.length > this.#limits.pending) return 'slow_consumer';
    if (this.#state === 'open') this.#send(frame, handedOver);
    else {
      this.#frames.push(frame);
      this.#waitingBytes += frame.length;
    }
    return undefined;
  }

  /** Resolves when the peer has taken most of the pending frames, or the queue is closed. */
  drained(): Promise<void> {
    if (this.#state !== 'full') return Promise.resolve();
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  /** Drops waiting frames. No frame is accepted afterwards. */
  close(): void {
    this.#state = 'closed';
    this.#frames = [];
    this.#next = 0;
    this.#waitingBytes = 0;
    this.#wake();
  }

  /** Waits for the callback of only the frame that reaches the maximum, because the next frames may follow then. */
  #send(frame: Buffer, handedOver: number): void {
    if (handedOver + frame.length >= AHEAD) this.#state = 'full';
    if (this.isFull) this.#socket.send(frame, TEXT, this.#sent);
    else this.#socket.send(frame, TEXT);
  }

  readonly #sent = (): void => {
    if (this.#state === 'closed') return;
    this.#state = 'open';
    while (this.#waitingBytes > 0 && !this.isFull) this.#sendNext();
    if (!this.isFull) this.#wake();
  };

  #sendNext(): void {
    const frame = this.#frames[this.#next++] as Buffer;
    this.#waitingBytes -= frame.length;
    if (this.#waitingBytes === 0) {
      this.#frames = [];
      this.#next = 0;
    } else if (this.#next === 1024) {
      this.#frames.splice(0, this.#next);
      this.#next = 0;
    }
    this.#send(frame, this.#socket.bufferedAmount);
  }

  #wake(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
