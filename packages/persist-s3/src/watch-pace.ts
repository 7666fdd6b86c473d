import type { Clock } from './clock.ts';

/** After something new the next look comes soon; each idle one doubles the time to the next. */
const FIRST_PART = 16;

/** How a watcher waits. */
export interface ChangesOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The longest time between two looks at this moment, in milliseconds; infinite: wait to be told. */
  readonly longest: () => number;
}

/** Waits for changes without missing one that comes between looking and waiting. */
export class Changes {
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #longest: () => number;
  readonly #unsubscribe: () => void;
  readonly #onAbort = (): void => this.wake();
  #count = 0;
  #wake = (): void => {};
  /** How many looks in a row found nothing new. */
  idle = 0;
  /** Nobody has told of a change since the last look; it is only time to look again. */
  timedOut = false;

  constructor({ signal, clock, longest }: ChangesOptions, subscribe: (changed: () => void) => () => void) {
    this.#signal = signal;
    this.#clock = clock;
    this.#longest = longest;
    this.#unsubscribe = subscribe(() => this.wake());
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** What has been told so far. Take it before looking. */
  mark(): number {
    return this.#count;
  }

  /** A look has found something, or nothing. */
  looked(found: boolean): void {
    this.idle = found ? 0 : this.idle + 1;
  }

  wake(): void {
    this.#count++;
    this.#wake();
  }

  /** Resolves when something was told since the mark, when the signal aborts, or when it is time to look by oneself. */
  async after(mark: number): Promise<void> {
    this.timedOut = false;
    if (this.#count > mark || this.#signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const longest = this.#longest();
    const delay = Math.min(longest, (longest / FIRST_PART) * 2 ** this.idle);
    const cancel = Number.isFinite(delay) ? this.#clock.schedule(delay, resolve, 'foreground') : undefined;
    await promise;
    this.timedOut = this.#count === mark;
    cancel?.();
  }

  stop(): void {
    this.#unsubscribe();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
