import {
  abortable,
  fromStoreError,
  runReason,
  type AgentSession,
  type ConversationState,
  type RunResult,
  type StateFields,
  type StepOutcome,
  type StuckFinding,
  type Transaction,
} from '@conv/core';
import { isEvent, pause, type ConversationErrorEvent, type Event } from '@conv/core/events';

import { BeforeModel } from './before-model.ts';
import { beginRun, goesOn, type HowToBegin } from '../rules/begin-run.ts';
import { Budget } from '../rules/budget.ts';
import { newest } from '../safeguards/branch-tail.ts';
import { CallRunner } from '../calls/call-runner.ts';
import type { SpendingLimit } from '../rules/budget.ts';
import type { Controls } from '../safeguards/safeguards.ts';
import { PromptHooks } from '../safeguards/prompt-hooks.ts';
import { appendQueued } from '../rules/message-queue.ts';
import { LostPrompt } from './lost-prompt.ts';
import { recordFailure, recordInterruption, recordLimit, toRunError } from '../rules/run-end.ts';
import { announceRun, forgetTakeovers } from '../rules/run-record.ts';
import { LocalStepContext } from './step-context.ts';
import { StopHooks } from '../safeguards/stop-hooks.ts';

/** What a run works with. */
export interface RunInput {
  readonly state: ConversationState;
  readonly session: () => Promise<AgentSession>;
  /** Model responses. Default: those of the run that it takes up, or what the state says. */
  readonly maxIterations: number | undefined;
  readonly how: HowToBegin;
  readonly controls: Controls;
  /** Messages on their way into the log. Those of before the run are its own; while there are any it does not end. */
  readonly sending: () => Promise<unknown> | undefined;
  /** What the conversation that this one works for may still spend. */
  readonly outerBudget: SpendingLimit | undefined;
  /** Forks being made, which must not see a run begin, and a condensation. */
  readonly historyWork: () => Promise<unknown> | undefined;
}

/**
 * One run: steps of the agent and the calls that they ask for, until the status says stop. Everything it changes is a commit
 * of its own, so that a run can end at any point, by a crash too, and be taken up again.
 */
export class Run {
  readonly #input: RunInput;
  readonly #controller = new AbortController();
  readonly #calls: CallRunner;
  readonly #stop: StopHooks;
  readonly #before: BeforeModel;
  readonly #prompt: LostPrompt;
  readonly #done: Promise<RunResult>;
  readonly #budget: Budget;
  #iterations = 0;
  #iterationsBefore = 0;
  #maxIterations = 0;
  #pauseRequested = false;
  #leaving = false;
  #begun = false;
  #left = false;
  #abandoned = false;
  #seenMessageId: string | null = null;
  #asking = false;
  #ended = false;

  constructor(input: RunInput) {
    const { state, controls } = input;
    const { hooks, watch } = controls;
    this.#input = input;
    this.#budget = new Budget(input.outerBudget);
    this.#calls = new CallRunner({ state, hooks, signal: this.#controller.signal, settle: this.#settle });
    this.#stop = new StopHooks(state, hooks);
    this.#before = new BeforeModel(hooks, new PromptHooks(state, hooks), watch, () => this.#goesOn);
    this.#prompt = new LostPrompt(state, controls);
    this.#done = this.#run();
    // whoever awaits the result is told; a run that nobody awaits must not end the process
    this.#done.catch(() => {});
  }

  /** How it ended. Rejects as `Conversation.run` does. */
  get done(): Promise<RunResult> {
    return this.#done;
  }

  /** What it was ended for, when it went round in a circle. */
  get stuck(): StuckFinding | undefined {
    return this.#before.stuck;
  }

  /** It takes up no more messages; the next run does. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The model is being asked: what is said meanwhile comes behind its answer. */
  get asking(): boolean {
    return this.#asking;
  }

  /** What it may still spend. */
  get budget(): Budget {
    return this.#budget;
  }

  /** Stops after the current step. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** Hands itself over: ends where a pause would end it, and leaves the status at `running`. */
  leave(): void {
    this.#leaving = true;
  }

  /** Ends at once and writes nothing more, as if its process had ended. */
  abandon(): void {
    // an interruption that came before is on record when it has ended
    if (this.#controller.signal.aborted) return;
    this.#abandoned = true;
    this.#controller.abort(new DOMException('handed over', 'AbortError'));
  }

  /** A person decided on calls: those that were permitted may begin. */
  lookAgain(): void {
    this.#calls.lookAgain();
  }

  /** Cancels model and tools. */
  interrupt(): void {
    this.#controller.abort(new DOMException('interrupted', 'AbortError'));
  }

  async #run(): Promise<RunResult> {
    const { state, sending, historyWork } = this.#input;
    try {
      await this.#waitFor(historyWork());
      await this.#waitFor(sending());
      this.#begun = await this.#begin();
      if (this.#begun) {
        do while (this.#goesOn) await this.#turn();
        while (await this.#takesUpMessage());
      }
    } catch (error) {
      await this.#end(error);
    } finally {
      this.#ended = true;
    }
    return { status: state.executionStatus, iterations: this.#iterations, ...(await this.#reason()) };
  }

  async #reason(): Promise<Pick<RunResult, 'reason'>> {
    const { events, executionStatus, leafEventId } = this.#input.state;
    if (executionStatus !== 'error' && executionStatus !== 'stuck') return {};
    const end = await newest(events, leafEventId, isFailure);
    return end ? { reason: runReason(end) } : {};
  }

  /** False when there is nothing to do. */
  async #begin(): Promise<boolean> {
    const { state, controls, maxIterations, how } = this.#input;
    const { risks } = controls;
    if (state.pendingActions.length > 0 && goesOn(state, how)) await this.#rateAgain();
    return state.transaction(async (transaction) => {
      const beginning = await beginRun(transaction, { risks, budget: this.#budget, maxIterations, how });
      if (beginning?.answered) this.#stop.resume(transaction);
      this.#ended = !beginning;
      this.#maxIterations = beginning?.maxIterations ?? 0;
      this.#iterationsBefore = beginning?.iterations ?? 0;
      this.#seenMessageId = transaction.state.lastUserMessageId;
      return !this.#ended;
    });
  }

  /** What the analyzer said to another process of calls that have not started is not known here. */
  async #rateAgain(): Promise<void> {
    const { state, controls } = this.#input;
    // as they are stored: an analyzer may take the model's own word
    const pendingActions = await state.transaction((transaction) => transaction.pendingActions);
    const verdicts = await controls.risks.ask(state, pendingActions, this.#controller.signal);
    if (verdicts)
      await state.transaction(({ openActions }) => controls.risks.note(pendingActions, verdicts, openActions));
  }

  get #goesOn(): boolean {
    return !this.#left && this.#input.state.executionStatus === 'running';
  }

  /** Calls first, so that the model is never asked while one is open; then one step. */
  async #turn(): Promise<void> {
    const { state } = this.#input;
    const { signal } = this.#controller;
    const session = await abortable(this.#input.session(), signal);
    await this.#calls.runApproved(session);
    signal.throwIfAborted();
    if (!this.#goesOn) return;
    if (this.#iterations > 0 && (state.accepted.lastRun?.takeovers ?? 0) > 0) await state.transaction(forgetTakeovers);
    if (this.#leaving) return void (this.#left = true);
    // a message behind the answer has the run go on anyway
    if (this.#stop.due && this.#hasUnseenMessage(state)) this.#stop.drop();
    if (this.#stop.due) return this.#stop.run(signal, (transaction) => this.#hasUnseenMessage(transaction.state));
    if (this.#pauseRequested) return void (await state.append([pause()]));
    if (this.#budget.usedUp(state.accepted) !== undefined) return this.#checkBudget();
    if (this.#iterationsBefore + this.#iterations >= this.#maxIterations)
      return state.transaction((transaction) => recordLimit(transaction, this.#maxIterations));
    if (this.#before.due) await this.#before.run(signal);
    if (!this.#goesOn) return;
    await this.#prompt.restore(session);
    await this.#think(session);
    await this.#checkBudget();
  }

  /** Before the cap of iterations, and after what the last response finished with. */
  async #checkBudget(): Promise<void> {
    const { state } = this.#input;
    if (this.#budget.usedUp(state.accepted) !== undefined)
      await state.transaction((transaction) => this.#budget.end(transaction));
  }

  async #think(session: AgentSession): Promise<void> {
    const { state, sending } = this.#input;
    this.#asking = true;
    try {
      // what was sent before is on record before the view is taken
      await this.#waitFor(sending());
      const outcome = await this.#step(session);
      if (outcome !== 'condensed') this.#iterations++;
    } finally {
      this.#asking = false;
    }
    // an answer takes them along; a step without one leaves them
    if (state.accepted.queue.length > 0) await state.transaction(appendQueued);
  }

  async #step(session: AgentSession): Promise<StepOutcome> {
    const { state, controls } = this.#input;
    const { signal } = this.#controller;
    const context = new LocalStepContext({
      state,
      signal,
      controls,
      budget: this.#budget,
      session,
      settle: this.#settle,
      sawMessage: (id) => void (this.#seenMessageId = id),
      answered: () => void (this.#asking = false),
    });
    try {
      return await abortable(session.step(context), signal);
    } finally {
      context.close();
    }
  }

  /**
   * A run does not end while a message is unanswered, one that came while the model was asked or waited for a tool; nor while
   * hooks are to be asked about the answer.
   */
  readonly #settle = (transaction: Transaction): void => {
    const { executionStatus } = transaction.state;
    if (executionStatus !== 'finished' && executionStatus !== 'idle') return;
    if (this.#hasUnseenMessage(transaction.state)) transaction.update({ set: { executionStatus: 'running' } });
    else if (executionStatus === 'finished') this.#stop.hold(transaction);
  };

  /** The last word on messages that came while the run was ending: this run answers them, or the next one may begin. */
  async #takesUpMessage(): Promise<boolean> {
    const { state, sending } = this.#input;
    await this.#waitFor(sending());
    const goesOn = await state.transaction((transaction) => {
      if (sending()) return undefined;
      const unseen = transaction.state.executionStatus === 'idle' && this.#hasUnseenMessage(transaction.state);
      if (unseen) transaction.update({ set: { executionStatus: 'running' } });
      else this.#ended = true;
      return unseen;
    });
    return goesOn ?? this.#takesUpMessage();
  }

  async #waitFor(work: Promise<unknown> | undefined): Promise<void> {
    if (work) await abortable(work, this.#controller.signal);
  }

  #hasUnseenMessage({ lastUserMessageId }: Pick<StateFields, 'lastUserMessageId'>): boolean {
    return lastUserMessageId !== this.#seenMessageId;
  }

  /** One that was asked for and has not begun is begun by whoever takes it up. What is on its way into the log is waited for. */
  async #handOver(): Promise<void> {
    const { state, how, maxIterations } = this.#input;
    await state.transaction((transaction) => {
      if (!this.#begun && !how.takesUp) announceRun(transaction, maxIterations);
    });
  }

  async #end(error: unknown): Promise<void> {
    const { state } = this.#input;
    const mayHaveRun = this.#calls.mayHaveRun.bind(this.#calls);
    if (state.lost.aborted) throw state.mask.error(fromStoreError(state.lost.reason, state.id));
    if (this.#abandoned) return this.#handOver();
    if (this.#controller.signal.aborted)
      return state.transaction((transaction) => recordInterruption(transaction, mayHaveRun));
    try {
      await state.transaction((transaction) =>
        recordFailure(transaction, mayHaveRun, error, (text) => state.mask.text(text)),
      );
    } catch {
      // the store fails still: the first error says why, and the next command brings the conversation to rest
    }
    throw state.mask.error(toRunError(error, state));
  }
}

function isFailure(event: Event): event is ConversationErrorEvent {
  return isEvent(event, 'ConversationErrorEvent');
}
