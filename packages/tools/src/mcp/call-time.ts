import type { Platform, Timer } from '@conv/core/platform';

/** The time of one call, which does not run while the user is asked, and starts again with the answer. */
export class CallTime {
  readonly #platform: Pick<Platform, 'setTimer'>;
  readonly #limit: number;
  readonly #over: AbortController = new AbortController();
  #questions = 0;
  #ended = false;
  #timer: Timer | undefined;

  /** Starts the time; `limit` in milliseconds. */
  constructor(platform: Pick<Platform, 'setTimer'>, limit: number) {
    this.#platform = platform;
    this.#limit = limit;
    this.#start();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Runs a question to the user. */
  async during<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    this.#timer?.cancel();
    try {
      return await question();
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0 && !this.#ended) this.#start();
    }
  }

  /** Ends the time, also if the user is asked: an answer does not start it again. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #start(): void {
    this.#timer = this.#platform.setTimer(this.#limit, () => this.#over.abort());
  }
}
