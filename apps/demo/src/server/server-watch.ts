import type { RequestOptions } from '@conv/remote';

import { note } from '../terminal/output.ts';

/** Says on standard error that the server of a command does not answer, once, and once that it answers again. */
export class ServerWatch {
  /** The options of a workspace whose requests are watched. */
  readonly requests: RequestOptions = {
    onRetry: ({ message }) => this.#missed(message),
    onRecovered: () => this.#answered(),
  };
  readonly #waiting: (() => void)[] = [];
  #isAway = false;

  /** Calls back once the server does not answer, which may be at once. */
  whenAway(listener: () => void): void {
    if (this.#isAway) listener();
    else this.#waiting.push(listener);
  }

  #missed(message: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    note(`the server does not answer (${message}); trying again until it does`);
    for (const listener of this.#waiting.splice(0)) listener();
  }

  #answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    note('the server answers again');
  }
}
