import {
  checks,
  abortable,
  type AgentSession,
  ConversationError,
  type ConversationErrorCode,
  type ConversationGoal,
  errorText,
  type GoalJudgement,
  type GoalOutcome,
  type StateFields,
  type Transaction,
} from '@conv/core';
import { partSchemas, userMessage, type Event, type GoalStatus, type GoalVerdict } from '@conv/core/events';

import type { CommandDeps } from './command-deps.ts';
import { followUp } from './follow-up.ts';
import { goalInProgress, runInProgress } from '../rules/at-work.ts';
import { afterRound, beginGoal, interrupted, interruptGoal } from '../rules/goal-state.ts';
import type { Runs } from '../run/runs.ts';
import { seenBy } from '../safeguards/prompt-hooks.ts';
import type { Messages } from './messages.ts';

const DEFAULT_ROUNDS = 10;

export interface GoalDeps extends CommandDeps {
  readonly messages: Messages;
  readonly runs: Runs;
}

/** A goal in progress in this process. */
interface Pursuit {
  /** Aborts the run and the judge at once. */
  readonly abort: AbortController;
  /** Ends the rounds; the active run ends by itself. */
  readonly over: AbortController;
  readonly done: Promise<GoalOutcome>;
}

/** The goals of a local conversation. */
export class LocalGoal implements ConversationGoal {
  readonly #deps: GoalDeps;
  #pursuit: Pursuit | undefined;

  constructor(deps: GoalDeps) {
    this.#deps = deps;
  }

  get status(): GoalStatus | undefined {
    const { goal } = this.#deps.state;
    // the end shows even if it could not be stored
    return (goal?.active && !this.#pursuit ? interrupted(goal) : goal) ?? undefined;
  }

  /** True if this process works on a goal. */
  get active(): boolean {
    return this.#pursuit !== undefined;
  }

  async pursue(
    objective: string,
    options: { readonly maxIterations?: number; readonly signal?: AbortSignal } = {},
  ): Promise<GoalOutcome> {
    const { state, messages, lifetime } = this.#deps;
    lifetime.assertOpen();
    checks.callOptions('goal.pursue', options);
    const { maxIterations = DEFAULT_ROUNDS, signal } = options;
    if (typeof objective !== 'string' || objective.trim() === '')
      throw this.#error('INVALID_INPUT', 'the objective of a goal must be text that is not blank');
    const rounds = checks.maxIterations(maxIterations);
    return this.#begin(signal, async () => {
      const goal = beginGoal(state.mask.text(objective), rounds);
      await messages.send(userMessage(objective), (transaction) => transaction.update({ set: { goal } }));
    });
  }

  async resume(
    options: Pick<{ readonly maxIterations?: number; readonly signal?: AbortSignal }, 'signal'> = {},
  ): Promise<GoalOutcome> {
    const { state, lifetime } = this.#deps;
    lifetime.assertOpen();
    checks.callOptions('goal.resume', options);
    return this.#begin(options.signal, () =>
      state.transaction((transaction) => {
        const { goal } = transaction.state;
        if (!goal || goal.status === 'complete' || goal.status === 'capped')
          throw this.#error(
            'INVALID_INPUT',
            `conversation ${state.id} has no interrupted goal to resume; pursue a new one`,
          );
        transaction.update({ set: { goal: { ...goal, active: true, status: 'running' } } });
      }),
    );
  }

  async stop(): Promise<void> {
    this.#deps.lifetime.assertOpen();
    if (this.#pursuit) await this.end();
  }

  /** Ends the goal as interrupted: no further round, and a run pauses after its step. Resolves when durable. */
  async end(): Promise<void> {
    if (!this.#pursuit) return;
    this.#deps.active.run?.pause();
    await this.#deps.state.transaction((transaction) => this.supersede(transaction));
  }

  /** Ends the goal as interrupted in a commit, such as a user's message. An active run continues. */
  readonly supersede = (transaction: Transaction): void => {
    interruptGoal(transaction);
    this.#pursuit?.over.abort(new DOMException('the goal was interrupted', 'AbortError'));
  };

  /** Cancels the judge and its run. Resolves when this process no longer works on a goal. */
  async interrupt(): Promise<void> {
    this.#pursuit?.abort.abort(new DOMException('interrupted', 'AbortError'));
    await this.#pursuit?.done.catch(() => {});
  }

  #begin(signal: AbortSignal | undefined, start: () => Promise<void>): Promise<GoalOutcome> {
    const { state, active } = this.#deps;
    if (this.#pursuit) throw goalInProgress(state.id);
    if (active.run) throw runInProgress(state.id);
    const abort = new AbortController();
    const over = new AbortController();
    const cancel = (): void => abort.abort(signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted) cancel();
    const ends = { abort: abort.signal, over: AbortSignal.any([abort.signal, over.signal]) };
    const done = this.#work(ends, start).finally(() => {
      signal?.removeEventListener('abort', cancel);
      this.#pursuit = undefined;
    });
    this.#pursuit = { abort, over, done };
    return done;
  }

  async #work(ends: Ends, start: () => Promise<void>): Promise<GoalOutcome> {
    const { state } = this.#deps;
    let judge: Judge;
    try {
      judge = await this.#judge(ends.abort);
      ends.abort.throwIfAborted();
    } catch (error) {
      if (!ends.abort.aborted || error !== ends.abort.reason) throw state.mask.error(error);
      return { status: 'interrupted', rounds: 0 };
    }
    await start();
    const error = await this.#rounds(judge, ends).then(nothing, (cause: unknown) => cause);
    await state.transaction(interruptGoal);
    return this.#outcome(ends.over.aborted ? undefined : error);
  }

  async #judge(signal: AbortSignal): Promise<Judge> {
    const { state, session } = this.#deps;
    const agent = await abortable(session.get(), signal);
    if (!agent.judge)
      throw this.#error(
        'UNSUPPORTED',
        `the agent of conversation ${state.id} cannot judge a goal; give one that can, such as createAgent()`,
      );
    return agent.judge.bind(agent);
  }

  /** Runs rounds until the goal is over or to be interrupted. Rejects with the first failure. */
  async #rounds(judge: Judge, { abort, over }: Ends): Promise<void> {
    const { state, runs } = this.#deps;
    while (state.accepted.goal?.active === true && !over.aborted) {
      if (waitsForPerson(state.accepted)) return;
      if (!isAnswered(state.accepted)) await runs.start({ signal: abort, approves: false });
      if (over.aborted || !isAnswered(state.accepted)) return;
      const { events } = await state.condensableView(seenBy(state.fields));
      const judged = await this.#verdict(judge, events, over);
      await state.transaction((transaction) => this.#count(transaction, judged));
    }
  }

  async #verdict(judge: Judge, view: readonly Event[], over: AbortSignal): Promise<GoalJudgement> {
    const { state } = this.#deps;
    const goal = state.fields.goal as GoalStatus;
    try {
      const { verdict, record } = await abortable(judge(goal.objective, view, over), over);
      return { verdict: partSchemas.goalStatus.parse({ ...goal, verdict }).verdict as GoalVerdict, record };
    } catch (cause) {
      over.throwIfAborted();
      const reason = errorText(cause);
      const message = `the judge of the goal of conversation ${state.id} failed: ${reason}; resume the goal to ask again`;
      throw this.#error('JUDGE_FAILED', message, cause);
    }
  }

  /** Commits the verdict and its cost, and a follow-up message while something is missing. */
  async #count(transaction: Transaction, { verdict, record }: GoalJudgement): Promise<void> {
    transaction.record(record);
    const { goal } = transaction.state;
    // the goal was interrupted while the judge answered
    if (!goal?.active) return;
    const next = afterRound(goal, verdict);
    transaction.update({ set: { goal: next } });
    if (next.active) await this.#deps.messages.add(transaction, followUp(next));
  }

  #outcome(error: unknown): GoalOutcome {
    const { state } = this.#deps;
    const { status, iteration, verdict } = state.fields.goal as GoalStatus;
    const safe = state.mask.error(error);
    return {
      status: status === 'running' ? 'interrupted' : status,
      rounds: iteration,
      ...(verdict ? { verdict } : {}),
      ...(safe instanceof Error ? { error: safe } : {}),
    };
  }

  #error(code: ConversationErrorCode, message: string, cause?: unknown): ConversationError {
    return new ConversationError(code, message, { cause, conversationId: this.#deps.state.id });
  }
}

type Judge = NonNullable<AgentSession['judge']>;

/** Signals that end a pursuit: `abort` ends everything at once, `over` ends the rounds even if a run continues. */
interface Ends {
  readonly abort: AbortSignal;
  readonly over: AbortSignal;
}

/** True if there is an answer to judge. A run that went in circles may have come far enough. */
function isAnswered({ executionStatus }: Pick<StateFields, 'executionStatus'>): boolean {
  return executionStatus === 'finished' || executionStatus === 'stuck';
}

/** True if actions wait for a person: a run would approve them without a decision. */
function waitsForPerson({ executionStatus, calls }: Pick<StateFields, 'executionStatus' | 'calls'>): boolean {
  return executionStatus === 'waiting_for_confirmation' && !Object.values(calls).includes('approved');
}

function nothing(): undefined {}
