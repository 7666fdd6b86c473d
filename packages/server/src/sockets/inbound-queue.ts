/** Number of waiting frames after which the peer is paused. */
const ENOUGH = 16;

/** A source of frames that can be paused. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** A text frame of the peer, or a binary frame, which is ignored. */
export type InboundFrame = { readonly text: string } | { readonly binary: true };

/** Takes a frame. Must not reject. */
export type TakeFrame = (frame: InboundFrame) => Promise<void>;

/**
 * The state of a queue. `flowing`: the peer is read. `paused`: it is not, until its waiting frames have been taken. `ended`: no frame is taken any more.
 */
type QueueState = 'flowing' | 'paused' | 'ended';

/** Frames of one peer, to be handled one at a time. A peer that sends faster is paused. */
export class InboundQueue {
  readonly #source: Pausable;
  readonly #frames: InboundFrame[] = [];
  #waiting: ((frame: InboundFrame | undefined) => void) | undefined;
  #take: TakeFrame | undefined;
  /** True while a frame is being taken. */
  #isTaking = false;
  #state: QueueState = 'flowing';

  constructor(source: Pausable) {
    this.#source = source;
  }

  /** True if the peer is paused, so that its frames, pongs included, are not read. */
  get paused(): boolean {
    return this.#state === 'paused';
  }

  push(frame: InboundFrame): void {
    if (this.#state === 'ended') return;
    if (this.#waiting) return this.#hand(frame);
    this.#frames.push(frame);
    void this.#takeAll();
    if (this.#state === 'paused' || this.#frames.length < ENOUGH) return;
    this.#state = 'paused';
    this.#source.pause();
  }

  /** Resolves with the next frame, in order; `undefined` at the end. */
  next(): Promise<InboundFrame | undefined> {
    const frame = this.#shift();
    if (frame || this.#state === 'ended') return Promise.resolve(frame);
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  /** Hands each frame from now on to `take`, the next one when its promise has resolved. Nothing waits for a peer that sends none. */
  each(take: TakeFrame): void {
    this.#take = take;
    void this.#takeAll();
  }

  /** Ends the queue, because the peer has disconnected or is no longer served. */
  end(): void {
    const { paused } = this;
    this.#state = 'ended';
    this.#frames.length = 0;
    if (paused) this.#source.resume();
    this.#hand(undefined);
  }

  async #takeAll(): Promise<void> {
    if (!this.#take || this.#isTaking) return;
    this.#isTaking = true;
    for (let frame = this.#shift(); frame; frame = this.#shift()) await this.#take(frame);
    this.#isTaking = false;
  }

  #shift(): InboundFrame | undefined {
    const frame = this.#frames.shift();
    if (frame && this.#frames.length === 0) this.#resume();
    return frame;
  }

  #hand(frame: InboundFrame | undefined): void {
    const hand = this.#waiting;
    this.#waiting = undefined;
    hand?.(frame);
  }

  #resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'flowing';
    this.#source.resume();
  }
}
