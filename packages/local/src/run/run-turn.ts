import { abortable, type AgentSession, type StepOutcome, type StuckFinding, type Transaction } from '@conv/core';
import { drafts, type ActionEvent } from '@conv/core/events';

import { CallBatch } from '../calls/call-batch.ts';
import type { Budget } from '../rules/budget.ts';
import { recordAsked } from '../rules/expired-questions.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { recordLimit } from '../rules/run-end.ts';
import { forgetTakeovers } from '../rules/run-record.ts';
import { PromptHooks } from '../safeguards/prompt-hooks.ts';
import { StopHooks } from '../safeguards/stop-hooks.ts';
import { BeforeModel } from './before-model.ts';
import { LostPrompt } from './lost-prompt.ts';
import type { RunInput } from './run-input.ts';
import type { RunMachine } from './run-machine.ts';
import type { RunPhase, RunProgress } from './run-phase.ts';
import { LocalStepContext } from './step-context.ts';

type PhaseOf<Kind extends RunPhase['kind']> = Extract<RunPhase, { readonly kind: Kind }>;

/**
 * The work of the phases of a turn: the open calls, then one step of the agent. Each change is a commit of its own, and after each
 * await the status may be another one and the run may have been asked to stop. Both are read again at the fences below.
 */
export class RunTurn {
  readonly #input: RunInput;
  readonly #machine: RunMachine;
  readonly #budget: Budget;
  readonly #stop: StopHooks;
  readonly #before: BeforeModel;
  readonly #prompt: LostPrompt;
  /** The open calls of this turn, or of the turn before. */
  #calls: CallBatch | undefined;

  constructor(input: RunInput, machine: RunMachine, budget: Budget) {
    const { state, safeguards } = input;
    const { hooks, watch } = safeguards;
    this.#input = input;
    this.#machine = machine;
    this.#budget = budget;
    this.#stop = new StopHooks(state, hooks);
    this.#before = new BeforeModel(hooks, new PromptHooks(state, hooks), watch, () => this.#isRunning);
    this.#prompt = new LostPrompt(state, safeguards);
  }

  /** The loop that ended the run; `undefined` when there was none. */
  get stuck(): StuckFinding | undefined {
    return this.#before.stuck;
  }

  /** True if the call may have had effects. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#calls?.mayHaveRun(action) ?? false;
  }

  /** Starts calls that a person has permitted meanwhile. */
  lookAgain(): void {
    this.#calls?.lookAgain();
  }

  /** Resumes with the answer that an earlier process stored, in the commit in which the run begins. */
  resumeAnswered(transaction: Transaction): void {
    this.#stop.resume(transaction);
  }

  /** Work of `calling`: runs the open calls, so that the model is never asked while a call is open. */
  async call({ iterations }: RunProgress): Promise<void> {
    const { state, safeguards } = this.#input;
    const { signal } = this.#machine;
    if (!this.#isRunning) return this.#machine.on({ kind: 'stopped' });
    // tools may take long to start; an interruption does not wait for them
    const session = await abortable(this.#input.session.get(), signal);
    this.#calls = new CallBatch({ state, signal, hooks: safeguards.hooks, settle: this.#settle }, session);
    await this.#calls.run();
    // fence: cancelled calls resolve with their results, so an interruption shows in the signal alone
    signal.throwIfAborted();
    // fence: a call may have ended the run, and other commits came meanwhile
    if (!this.#isRunning) return this.#machine.on({ kind: 'stopped' });
    if (iterations > 0 && (state.accepted.lastRun?.takeovers ?? 0) > 0) await state.transaction(forgetTakeovers);
    this.#machine.on({ kind: 'called', session });
  }

  /** Work of `deciding`: the order of the questions is the order in which they win. */
  async decide({ session, progress }: PhaseOf<'deciding'>): Promise<void> {
    const { state } = this.#input;
    const { signal, request } = this.#machine;
    // read once: a request that comes during an await below is found in the next turn, or aborts the await
    if (request === 'leave' || request === 'abandoned') return this.#machine.on({ kind: 'leave' });
    // a message behind the answer makes the run continue
    if (this.#stop.due && this.#machine.hasUnseenMessage(state)) this.#stop.drop();
    if (this.#stop.due)
      await this.#stop.run(signal, (transaction) => this.#machine.hasUnseenMessage(transaction.state));
    else if (request === 'pause') await state.append([drafts.pause()]);
    else if (this.#budget.usedUp(state.accepted) !== undefined) await this.#checkBudget();
    else if (isUsedUp(progress))
      await state.transaction((transaction) => recordLimit(transaction, progress.maxIterations));
    else return this.#prepare(session);
    this.#machine.on({ kind: 'again' });
  }

  /** Work of `asking`: one step of the agent. */
  async ask({ session }: PhaseOf<'asking'>): Promise<void> {
    // messages sent before are in the log before the view is taken
    await this.#machine.waitFor(this.#input.messages.sending);
    // in this await the step commits its answer, which enters `answered`; no other work of the run is in progress
    const outcome = await this.#step(session);
    this.#machine.on({ kind: 'stepped', counts: outcome !== 'condensed' });
  }

  /** Work of `stepped`. */
  async finish(): Promise<void> {
    const { state } = this.#input;
    // an answer appends the queued messages; a step without an answer leaves them
    if (state.accepted.queue.length > 0) await state.transaction(appendQueued);
    await this.#checkBudget();
    this.#machine.on({ kind: 'again' });
  }

  get #isRunning(): boolean {
    return this.#input.state.executionStatus === 'running';
  }

  /** Runs the checks that come right before the model, any of which may end the run. */
  async #prepare(session: AgentSession): Promise<void> {
    if (this.#before.due) await this.#before.run(this.#machine.signal);
    // fence: a check may have ended the run
    if (!this.#isRunning) return this.#machine.on({ kind: 'stopped' });
    await this.#prompt.restore(session);
    this.#machine.on({ kind: 'ask' });
  }

  async #step(session: AgentSession): Promise<StepOutcome> {
    const { state, safeguards } = this.#input;
    const { signal } = this.#machine;
    const context = new LocalStepContext({
      state,
      signal,
      safeguards,
      budget: this.#budget,
      session,
      settle: this.#settle,
      sawMessage: (messageId) => this.#machine.on({ kind: 'saw', messageId }),
      answered: () => this.#machine.on({ kind: 'answered' }),
    });
    try {
      return await abortable(session.step(context), signal);
    } finally {
      // fence: an agent that ignores the signal continues behind this line, and its context writes nothing more
      context.close();
    }
  }

  /** Ends the run if the budget is used up. Checked before the limit of iterations, and after each response. */
  async #checkBudget(): Promise<void> {
    const { state } = this.#input;
    if (this.#budget.usedUp(state.accepted) !== undefined)
      await state.transaction((transaction) => this.#budget.end(transaction));
  }

  /**
   * Keeps the run active while a message is unanswered, such as a message that came during a model or tool call, and while hooks
   * are to be asked about the answer. Records until when a person may decide. Called last in each commit of a step or call, so that no reader sees a
   * run end too early.
   */
  readonly #settle = (transaction: Transaction): void => {
    const { executionStatus } = transaction.state;
    const expiration = this.#input.expiration();
    if (expiration) recordAsked(transaction, expiration);
    if (executionStatus !== 'finished' && executionStatus !== 'idle') return;
    if (this.#machine.hasUnseenMessage(transaction.state)) transaction.update({ set: { executionStatus: 'running' } });
    else if (executionStatus === 'finished') this.#stop.hold(transaction);
  };
}

function isUsedUp({ iterationsBefore, iterations, maxIterations }: RunProgress): boolean {
  return iterationsBefore + iterations >= maxIterations;
}
