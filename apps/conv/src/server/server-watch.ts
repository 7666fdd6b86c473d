import type { RequestOptions } from '@conv/remote';

import { note } from '../terminal/output.ts';

/** A change of the connection: the server stopped answering, with the reason, or answers again. */
export type ServerEvent = { readonly away: string } | 'back';

/** Reports once that the server of a command does not answer, and once that it answers again. Default: on standard error. */
export class ServerWatch {
  /** The options of a workspace whose requests are watched. */
  readonly requests: RequestOptions = {
    onRetry: ({ message }) => this.#missed(message),
    onRecovered: () => this.#answered(),
  };
  readonly #waiting: (() => void)[] = [];
  readonly #say: (event: ServerEvent) => void;
  #isAway = false;

  constructor(say: (event: ServerEvent) => void = noteEvent) {
    this.#say = say;
  }

  /** Calls back once the server does not answer, which may be at once. */
  whenAway(listener: () => void): void {
    if (this.#isAway) listener();
    else this.#waiting.push(listener);
  }

  #missed(message: string): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#say({ away: message });
    for (const listener of this.#waiting.splice(0)) listener();
  }

  #answered(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#say('back');
  }
}

function noteEvent(event: ServerEvent): void {
  if (event === 'back') note('the server answers again');
  else note(`the server does not answer (${event.away}); trying again until it does`);
}
