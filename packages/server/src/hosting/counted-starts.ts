import type { LocalConversation } from '@conv/local';

import type { Caller } from '../auth/principal.ts';
import type { Usage } from '../usage/usage.ts';
import type { BackgroundRuns } from './background-runs.ts';

/** The caller that starts a run. */
export interface StartedBy {
  /** The run is recorded in its name, and counted if it has daily limits. Default: the run has no name. */
  readonly by?: Caller;
}

export interface CountedStartsDeps {
  readonly conversation: LocalConversation;
  readonly runs: Pick<BackgroundRuns, 'active'>;
  readonly usage: Usage;
}

/**
 * Starts of runs in the names of callers. Runs that are counted begin one after the other, so that the record of a start is followed by its run. An active
 * run is joined, and costs nothing more.
 */
export class CountedStarts {
  readonly #deps: CountedStartsDeps;
  /** Settles when the starts of runs that are counted have ended. */
  #starts: Promise<unknown> = Promise.resolve();

  constructor(deps: CountedStartsDeps) {
    this.#deps = deps;
  }

  /**
   * Begins a run. Resolves and rejects as `begin`, which resolves with true if it began one; rejects `LimitReached` if the caller has used up its day.
   * @param check throws for a run that is refused, which is neither recorded nor counted then. Default: no run is refused
   */
  async begin(by: Caller | undefined, begin: () => Promise<boolean>, check?: () => void): Promise<boolean> {
    const { conversation, runs, usage } = this.#deps;
    if (runs.active || !usage.concerns(conversation, by)) return begin();
    const began = this.#starts.then(() => {
      if (runs.active) return begin();
      check?.();
      return usage.startRun(conversation, by, begin);
    });
    this.#starts = began.catch(() => {});
    return began;
  }
}
