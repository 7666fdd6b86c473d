import type { JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';

/** Milliseconds between two heartbeats of an answer that takes long. */
const HEARTBEAT_INTERVAL = 5_000;

/** Characters of output that are shown of one answer. */
const MOST_SHOWN = 1_000_000;

/**
 * An answer in JSON that is sent while it comes about: output first, each piece in a line of its own, white space while there is none, and
 * the rest at the end. So the client sees at once that its request has arrived, and later that the server lives.
 */
export class GrowingAnswer {
  readonly #platform: Platform;
  readonly #pieces: string[] = [];
  #shown = 0;
  #wake: () => void = () => undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Adds a piece of output, unless there were many. */
  write(text: string): void {
    if (this.#shown >= MOST_SHOWN) return;
    this.#shown += text.length;
    this.#pieces.push(text);
    this.#wake();
  }

  /** Returns the text of the answer, which ends with the members of `rest` once it resolves. It never rejects. */
  async *text(rest: Promise<JsonObject>): AsyncGenerator<string> {
    let end: JsonObject | undefined;
    void rest.then((given) => {
      end = given;
      this.#wake();
    });
    let comma = '';
    yield '{"output":[\n';
    for (;;) {
      for (const piece of this.#pieces.splice(0)) {
        yield `${comma}${JSON.stringify(piece)}\n`;
        comma = ',';
      }
      // pieces may have come while others were sent
      if (end && this.#pieces.length === 0) return yield `],${JSON.stringify(end).slice(1)}`;
      if (!end && this.#pieces.length === 0 && (await this.#woken()) === 'late') yield ' \n';
    }
  }

  /** Resolves when there is more to send, or `late` when a heartbeat is due. */
  async #woken(): Promise<'more' | 'late'> {
    const { promise, resolve } = Promise.withResolvers<'more' | 'late'>();
    this.#wake = () => resolve('more');
    const timer = this.#platform.setTimer(HEARTBEAT_INTERVAL, () => resolve('late'), { background: true });
    try {
      return await promise;
    } finally {
      timer.cancel();
    }
  }
}
