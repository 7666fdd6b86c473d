import type { ConversationState, StateFields, Transaction } from '@conv/core';

import { recoverConversation, recoverRun } from '../rules/recover.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { ActiveRun } from './active-run.ts';

export interface CommandCommitsDeps {
  readonly state: ConversationState;
  readonly active: ActiveRun;
  readonly risks: Safeguards['risks'];
  /** Treatment of a run that no process works on. */
  readonly interruptedRun: 'pause' | 'resume';
}

/** The commits of commands. They need no `Runs`, because they only look if a run is active. */
export class CommandCommits {
  readonly #deps: CommandCommitsDeps;

  constructor(deps: CommandCommitsDeps) {
    this.#deps = deps;
  }

  /** Commits the work of a command. If a run's own end could not be stored, a commit before it recovers that run. */
  async commit<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const { state, interruptedRun, risks } = this.#deps;
    if (!this.#isLeft(state.accepted)) return state.transaction(work);
    const recover = interruptedRun === 'resume' ? recoverRun : recoverConversation;
    const recovered = state.transaction(async (transaction) => {
      if (this.#isLeft(transaction.state)) await recover(transaction, risks);
    });
    // both are queued at once: no other command comes between the recovery and the work
    const [, done] = await Promise.all([recovered, state.transaction(work)]);
    return done;
  }

  #isLeft({ executionStatus, lastRun }: Pick<StateFields, 'executionStatus' | 'lastRun'>): boolean {
    return executionStatus === 'running' && !this.#deps.active.run && lastRun?.phase !== 'waiting';
  }
}
