import {
  ConversationError,
  type ConversationState,
  type RunOptions,
  type RunResult,
  type StateFields,
  type Transaction,
} from '@conv/core';
import { pause } from '@conv/core/events';

import { checkMaxIterations } from '../options/check-settings.ts';
import { bringToRest, settleRun } from '../rules/settle.ts';
import { Run, type RunInput } from './run.ts';
import { announceRun } from '../rules/run-record.ts';

/** What the runs of a conversation work with. */
export interface RunsInput extends Omit<RunInput, 'maxIterations' | 'how'> {
  /** What becomes of a run that nobody works on. */
  readonly interruptedRun: 'rest' | 'keep';
  /** Resolves when nothing is at work any more that a run has begun. */
  readonly endChildren: () => Promise<void>;
  /** Milliseconds. */
  readonly subscriberGrace: number;
}

/** Longer a timer cannot be. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The runs of a conversation, one at a time, and what becomes of one that nobody works on. */
export class Runs {
  readonly #input: RunsInput;
  #last: Run | undefined;

  constructor(input: RunsInput) {
    this.#input = input;
  }

  /** The run that is on, or was the last of this object. */
  get last(): Run | undefined {
    return this.#last;
  }

  /** The run that is on. */
  get active(): Run | undefined {
    return this.#last?.ended === false ? this.#last : undefined;
  }

  /** A run is on record as being on, and this object does not work on it. */
  get isInterrupted(): boolean {
    return !this.active && this.#state.executionStatus === 'running';
  }

  get #state(): ConversationState {
    return this.#input.state;
  }

  /** Starts one, or with `takesUp` goes on with one that was interrupted. Rejects `BUSY`, and as `Conversation.run`. */
  async start({ maxIterations, signal }: RunOptions, takesUp: boolean = false): Promise<RunResult> {
    if (maxIterations !== undefined) checkMaxIterations(maxIterations);
    if (this.active) throw new ConversationError('BUSY', `a run of conversation ${this.#state.id} is in progress`);
    const { endChildren, subscriberGrace, interruptedRun } = this.#input;
    const how = { takesUp, keeps: interruptedRun === 'keep' };
    const run = new Run({ ...this.#input, maxIterations, how });
    this.#last = run;
    const interrupt = (): void => run.interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted) interrupt();
    try {
      return await run.done;
    } finally {
      signal?.removeEventListener('abort', interrupt);
      await endChildren();
      await this.#state.delivered(subscriberGrace);
    }
  }

  /** One commit of a command. What a run left behind whose own end could not be stored is settled in a commit before it. */
  async change<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    if (!this.#isLeft(this.#state.accepted)) return this.#state.transaction(work);
    const settle = this.#input.interruptedRun === 'keep' ? settleRun : bringToRest;
    const settled = this.#state.transaction(async (transaction) => {
      if (this.#isLeft(transaction.state)) await settle(transaction);
    });
    const [, done] = await Promise.all([settled, this.#state.transaction(work)]);
    return done;
  }

  /** Puts the run on record that is going to begin; whether one is. */
  announce({ maxIterations }: Pick<RunOptions, 'maxIterations'>): Promise<boolean> {
    if (maxIterations !== undefined) checkMaxIterations(maxIterations);
    return this.change((transaction) => announceRun(transaction, maxIterations));
  }

  /** Brings a run to rest that is on record and nobody works on. */
  withdraw(): Promise<void> {
    return this.change(async (transaction) => {
      if (this.#isIdle(transaction)) await bringToRest(transaction);
    });
  }

  /** Has the run stop after its current step; without one the conversation is paused at once, if it is idle or one is on record. */
  async pause(): Promise<void> {
    if (this.active) return this.active.pause();
    await this.change(async (transaction) => {
      if (transaction.state.executionStatus === 'idle') await transaction.append(pause());
      else if (this.#isIdle(transaction)) await bringToRest(transaction);
    });
  }

  /** Hands the run over; what works on it after `grace` milliseconds is cancelled. Resolves when nobody works on it any more. */
  async leave(grace: number): Promise<void> {
    const run = this.active;
    if (!run) return;
    const left = run.done.catch(ignore);
    run.leave();
    await within(grace, left);
    run.abandon();
    await left;
  }

  /** A run is on record that nobody works on. */
  #isIdle({ state }: Transaction): boolean {
    return state.executionStatus === 'running' && !this.active;
  }

  #isLeft({ executionStatus, lastRun }: Pick<StateFields, 'executionStatus' | 'lastRun'>): boolean {
    return executionStatus === 'running' && !this.active && lastRun?.phase !== 'waiting';
  }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  if (milliseconds <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER))));
  await Promise.race([late, work]);
  clearTimeout(timer);
}

function ignore(): void {}
