import type { AgentSession } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { CallBatch, type CallRun } from './call-batch.ts';
import { SideBySide } from './side-by-side.ts';

/** Runs the permitted calls of the live branch, as many at the same time as the agent allows. */
export class CallRunner {
  readonly #run: CallRun;
  readonly #work: SideBySide;
  #batch: CallBatch | undefined;

  constructor(run: CallRun) {
    this.#run = run;
    this.#work = new SideBySide(run.signal);
  }

  /** True if the tool of this open call has begun. The log may record a start of a tool that never began. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#batch?.mayHaveRun(action) ?? false;
  }

  /** Resolves when no call is left. Rejects with the signal's reason when interrupted; calls that did not run stay open. */
  async runApproved(session: AgentSession): Promise<void> {
    this.#batch = new CallBatch(this.#run, session, this.#work);
    await this.#batch.run();
  }

  /** Starts calls that a person has permitted meanwhile, so that they need not wait until another call ends. */
  lookAgain(): void {
    this.#batch?.lookAgain();
  }
}
