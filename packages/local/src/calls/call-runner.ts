import type { AgentSession } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { CallBatch, type CallRun } from './call-batch.ts';
import { SideBySide } from './side-by-side.ts';

/** Runs the calls of the live branch that may run, as many at the same time as the agent allows. */
export class CallRunner {
  readonly #run: CallRun;
  readonly #work: SideBySide;
  #batch: CallBatch | undefined;

  constructor(run: CallRun) {
    this.#run = run;
    this.#work = new SideBySide(run.signal);
  }

  /** Whether the tool of this open call was begun; its start may be on record although it was not. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#batch?.mayHaveRun(action) ?? false;
  }

  /** Resolves when none is left. Rejects with the signal's reason when interrupted; what was not run stays open. */
  async runApproved(session: AgentSession): Promise<void> {
    this.#batch = new CallBatch(this.#run, session, this.#work);
    await this.#batch.run();
  }

  /** A person decided on calls: what may run now need not wait until another one has ended. */
  lookAgain(): void {
    this.#batch?.lookAgain();
  }
}
