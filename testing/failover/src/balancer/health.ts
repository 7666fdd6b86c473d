/** A server that a balancer knows. */
export interface Backend {
  readonly name: string;
  readonly port: number;
}

/** Milliseconds between two questions, and for an answer. */
const INTERVAL = 250;
const TIMEOUT = 1500;

/** Questions in a row that have to be left without an answer. */
const MISSES = 2;

/** Checks again and again if a server answers. */
export class WatchedBackend {
  readonly backend: Backend;
  readonly #closed = new AbortController();
  #up = false;
  #misses = 0;
  #cut = new AbortController();
  #watching: Promise<void>;

  constructor(backend: Backend) {
    this.backend = backend;
    this.#watching = this.#watch();
  }

  get up(): boolean {
    return this.#up;
  }

  /** Aborts when the server is given up, so that requests to it wait no more. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#cut.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      if (await this.#answers()) {
        if (!this.#up) this.#cut = new AbortController();
        this.#up = true;
        this.#misses = 0;
      } else if (++this.#misses >= MISSES && this.#up) {
        this.#up = false;
        this.#cut.abort();
      }
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
  }

  async #answers(): Promise<boolean> {
    try {
      const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(TIMEOUT)]);
      const answer = await fetch(`http://127.0.0.1:${this.backend.port}/ready`, { signal });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
