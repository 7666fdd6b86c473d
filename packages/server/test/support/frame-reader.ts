import type { ResponseFrames } from '@conv/turns';

/** A client that takes one frame at a time, when the test asks. */
export class FrameReader {
  readonly #frames: ResponseFrames;
  #next = Promise.withResolvers<string>();

  constructor(frames: ResponseFrames) {
    this.#frames = frames;
    frames.begin({
      take: (bytes) => {
        this.#next.resolve(Buffer.from(bytes).toString());
        return false;
      },
      end: () => this.#next.resolve('end'),
    });
  }

  /** Resolves with the next frame as text. */
  next(): Promise<string> {
    this.#next = Promise.withResolvers();
    this.#frames.more();
    return this.#next.promise;
  }
}
