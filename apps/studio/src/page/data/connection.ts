import { Listeners } from './listeners.ts';
import { isSilence } from './api.ts';

/** State of the connection to the server. */
export interface ConnectionState {
  readonly lost: boolean;
  /** Time of the last answer before it was lost, or of its return; milliseconds. */
  readonly since: number;
  /** The number of reconnections, so that a view knows when to read again. */
  readonly returns: number;
}

/** Milliseconds between questions while the server answers, and while it does not. */
const CALM = 5000;
const LOST = 1000;

/** Asks the server at intervals if it is there, and also counts all other answers. */
export class Connection {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #ask: () => Promise<unknown>;
  #state: ConnectionState = { lost: false, since: Date.now(), returns: 0 };
  #heard = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ask asks a cheap question; its answer is told to `heard` */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly state = (): ConnectionState => this.#state;

  /** Begins to ask. */
  start(): void {
    addEventListener('online', this.#now);
    addEventListener('offline', this.#now);
    document.addEventListener('visibilitychange', this.#now);
    this.#plan();
  }

  /** Notes the status of an answer; 0 for no answer. */
  heard(status: number): void {
    const lost = isSilence(status);
    const now = Date.now();
    if (lost !== this.#state.lost) {
      const { returns } = this.#state;
      this.#state = { lost, since: lost ? this.#heard : now, returns: lost ? returns : returns + 1 };
      this.#listeners.tell();
      this.#plan();
    }
    if (!lost) this.#heard = now;
  }

  /** Asks now; the answer arrives through `heard`. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#ask().catch(() => {});
    this.#plan();
  }

  readonly #now = (): void => {
    if (document.visibilityState === 'visible') void this.look();
  };

  #plan(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), this.#state.lost ? LOST : CALM);
  }
}
