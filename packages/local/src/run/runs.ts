import { checks, type ConversationState, type RunOptions, type RunResult, type Transaction } from '@conv/core';
import { drafts } from '@conv/core/events';
import { timers } from '@conv/core/platform';

import { runInProgress } from '../rules/at-work.ts';
import { checkNewest } from '../rules/check-newest.ts';
import { recoverConversation } from '../rules/recover.ts';
import type { ActiveRun } from './active-run.ts';
import type { CommandCommits } from './command-commits.ts';
import { Run } from './run.ts';
import type { RunInput } from './run-input.ts';
import { scheduleRun } from '../rules/run-record.ts';

export interface RunsInput extends Omit<RunInput, 'maxIterations' | 'how'> {
  /** Treatment of a run that no process works on. */
  readonly interruptedRun: 'pause' | 'resume';
  readonly active: ActiveRun;
  readonly commits: CommandCommits;
  /** The children that a run has started. `end` resolves when all have stopped. */
  readonly children: { end(): Promise<void> };
  /** Milliseconds. */
  readonly subscriberGrace: number;
}

/**
 * The runs of a conversation, one at a time, and the treatment of a run that no process works on (decision 25). The log says if a run is
 * on record; {@link ActiveRun} says if this process works on it.
 *
 *     status     active   meaning
 *     running    a run    this process works on the run
 *     running    none     the run is left: interrupted by the end of its process, or scheduled and not begun
 *     other      a run    the run is beginning, or is about to end
 *     other      none     no run, and no call is left open by one
 */
export class Runs {
  readonly #input: RunsInput;

  constructor(input: RunsInput) {
    this.#input = input;
  }

  /** True if the log says that a run is active, and this object does not work on it. */
  get isInterrupted(): boolean {
    return !this.#active && this.#state.executionStatus === 'running';
  }

  get #active(): Run | undefined {
    return this.#input.active.run;
  }

  get #state(): ConversationState {
    return this.#input.state;
  }

  /** Starts a run, or with `resumes` continues an interrupted run. Rejects `BUSY`, and as `Conversation.run`. */
  async start(
    { maxIterations, signal, approves = true, answers }: RunOptions,
    resumes: boolean = false,
  ): Promise<RunResult> {
    if (maxIterations !== undefined) checks.maxIterations(maxIterations);
    if (this.#active) throw runInProgress(this.#state.id);
    if (answers !== undefined) checkNewest(this.#state, answers);
    const { active, children, subscriberGrace, interruptedRun } = this.#input;
    const how = { resumes, resumable: interruptedRun === 'resume', approves };
    const run = new Run({ ...this.#input, maxIterations, how });
    active.begin(run);
    const interrupt = (): void => run.interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted) interrupt();
    try {
      return await run.done;
    } finally {
      // the run has ended, so the next run may begin during these awaits
      signal?.removeEventListener('abort', interrupt);
      await children.end();
      await this.#state.delivered(subscriberGrace);
    }
  }

  /** Records a run that is going to begin. Resolves with true if there is such a run. */
  schedule({ maxIterations }: Pick<RunOptions, 'maxIterations'>): Promise<boolean> {
    if (maxIterations !== undefined) checks.maxIterations(maxIterations);
    return this.#input.commits.commit((transaction) => scheduleRun(transaction, maxIterations));
  }

  /** Recovers a run on record that no process works on. */
  cancelScheduled(): Promise<void> {
    return this.#input.commits.commit(async (transaction) => {
      if (this.#isIdle(transaction)) await recoverConversation(transaction, this.#input.safeguards.risks);
    });
  }

  /** Stops the active run after its current step. Without a run, pauses a conversation that is idle or has a run on record. */
  async pause(): Promise<void> {
    if (this.#active) return this.#active.pause();
    await this.#input.commits.commit(async (transaction) => {
      if (transaction.state.executionStatus === 'idle') await transaction.append(drafts.pause());
      else if (this.#isIdle(transaction)) await recoverConversation(transaction, this.#input.safeguards.risks);
    });
  }

  /** Hands the run over and cancels its work after `grace` milliseconds. Resolves when this process no longer works on it. */
  async leave(grace: number): Promise<void> {
    const run = this.#active;
    if (!run) return;
    const left = run.done.catch(ignore);
    run.leave();
    // the run may have ended meanwhile, and then `abandon` changes nothing
    if (grace > 0) await timers.settlesWithin(this.#input.state.platform, grace, left);
    run.abandon();
    await left;
  }

  /** True if a run is on record that no process works on. */
  #isIdle({ state }: Transaction): boolean {
    return state.executionStatus === 'running' && !this.#active;
  }
}

function ignore(): void {}
