/** Number of waiting frames after which the peer is paused. */
const ENOUGH = 16;

/** A source of frames that can be paused. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** A text frame of the peer, or a binary frame, which is ignored. */
export type InboundFrame = { readonly text: string } | { readonly binary: true };

/** Frames of one peer, to be handled one at a time. A peer that sends faster is paused. */
export class InboundQueue {
  readonly #source: Pausable;
  readonly #frames: InboundFrame[] = [];
  #waiting: ((frame: InboundFrame | undefined) => void) | undefined;
  #ended = false;
  #paused = false;

  constructor(source: Pausable) {
    this.#source = source;
  }

  /** True if the peer is paused, so that its frames, pongs included, are not read. */
  get paused(): boolean {
    return this.#paused;
  }

  push(frame: InboundFrame): void {
    if (this.#ended) return;
    if (this.#waiting) return this.#hand(frame);
    this.#frames.push(frame);
    if (this.#paused || this.#frames.length < ENOUGH) return;
    this.#paused = true;
    this.#source.pause();
  }

  /** Resolves with the next frame, in order; `undefined` at the end. */
  next(): Promise<InboundFrame | undefined> {
    const frame = this.#frames.shift();
    if (frame) {
      if (this.#frames.length === 0) this.#resume();
      return Promise.resolve(frame);
    }
    if (this.#ended) return Promise.resolve(undefined);
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  /** Ends the queue, because the peer has disconnected or is no longer served. */
  end(): void {
    this.#ended = true;
    this.#frames.length = 0;
    this.#resume();
    this.#hand(undefined);
  }

  #hand(frame: InboundFrame | undefined): void {
    const hand = this.#waiting;
    this.#waiting = undefined;
    hand?.(frame);
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#source.resume();
  }
}
