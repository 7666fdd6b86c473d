import type { Run } from './run.ts';

/**
 * The run that this process works on. `Runs` begins runs here. Messages, children and the history look here at the run of the moment and do not have `Runs`,
 * because a run waits for them.
 */
export class ActiveRun {
  #last: Run | undefined;

  /** The active run, or the last run of this object. */
  get last(): Run | undefined {
    return this.#last;
  }

  /** The active run; `undefined` when there is none. */
  get run(): Run | undefined {
    return this.#last?.ended === false ? this.#last : undefined;
  }

  /** Makes a run the active run. */
  begin(run: Run): void {
    this.#last = run;
  }
}
