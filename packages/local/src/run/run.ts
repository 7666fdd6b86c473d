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

/** Dependencies of {@link Run}. */
export interface RunInput {
  readonly state: ConversationState;
  readonly session: () => Promise<AgentSession>;
  /** Limit of model responses. Default: the limit of the run that it takes up, or the limit in the state. */
  readonly maxIterations: number | undefined;
  readonly how: HowToBegin;
  readonly controls: Controls;
  /**
   * Messages on their way into the log. Messages sent before the run belong to it; the run does not end while any is on its way.
   */
  readonly sending: () => Promise<unknown> | undefined;
  /** The limit of spending of the parent conversation. */
  readonly outerBudget: SpendingLimit | undefined;
  /** Forks in progress, which must not see a run begin, and a condensation. */
  readonly historyWork: () => Promise<unknown> | undefined;
}

/**
 * A run: steps of the agent and their calls, until the status says stop. Each change is a commit of its own, so a run can end at
 * any point, even by a crash, and be taken up again.
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
    // callers that await the result get the error; a run without a waiting caller must not end the process
    this.#done.catch(() => {});
  }

  /** The result of the run. Rejects as `Conversation.run` does. */
  get done(): Promise<RunResult> {
    return this.#done;
  }

  /** The loop that ended the run; `undefined` when there was none. */
  get stuck(): StuckFinding | undefined {
    return this.#before.stuck;
  }

  /** True if the run accepts no more messages; the next run does. */
  get ended(): boolean {
    return this.#ended;
  }

  /** True while the model is asked: messages sent meanwhile come after its answer. */
  get asking(): boolean {
    return this.#asking;
  }

  /** The budget of the run. */
  get budget(): Budget {
    return this.#budget;
  }

  /** Stops after the current step. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** Hands the run over: it ends where a pause would end it, and leaves the status at `running`. */
  leave(): void {
    this.#leaving = true;
  }

  /** Ends the run at once and writes nothing more, as if the process had ended. */
  abandon(): void {
    // an earlier interruption is in the log when it has ended
    if (this.#controller.signal.aborted) return;
    this.#abandoned = true;
    this.#controller.abort(new DOMException('handed over', 'AbortError'));
  }

  /** Starts calls that a person has permitted meanwhile. */
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

  /** Begins the run; resolves with false when there is nothing to do. */
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

  /** Rates the calls that have not started again, because another process got the earlier assessments. */
  async #rateAgain(): Promise<void> {
    const { state, controls } = this.#input;
    // rate the stored actions, because an analyzer may use the model's own rating
    const pendingActions = await state.transaction((transaction) => transaction.pendingActions);
    const verdicts = await controls.risks.ask(state, pendingActions, this.#controller.signal);
    if (verdicts)
      await state.transaction(({ openActions }) => controls.risks.note(pendingActions, verdicts, openActions));
  }

  get #goesOn(): boolean {
    return !this.#left && this.#input.state.executionStatus === 'running';
  }

  /** Runs the open calls first, so that the model is never asked while a call is open, and then one step. */
  async #turn(): Promise<void> {
    const { state } = this.#input;
    const { signal } = this.#controller;
    const session = await abortable(this.#input.session(), signal);
    await this.#calls.runApproved(session);
    signal.throwIfAborted();
    if (!this.#goesOn) return;
    if (this.#iterations > 0 && (state.accepted.lastRun?.takeovers ?? 0) > 0) await state.transaction(forgetTakeovers);
    if (this.#leaving) return void (this.#left = true);
    // a message behind the answer makes the run go on
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

  /** Ends the run if the budget is used up. Checked before the limit of iterations, and after each response. */
  async #checkBudget(): Promise<void> {
    const { state } = this.#input;
    if (this.#budget.usedUp(state.accepted) !== undefined)
      await state.transaction((transaction) => this.#budget.end(transaction));
  }

  async #think(session: AgentSession): Promise<void> {
    const { state, sending } = this.#input;
    this.#asking = true;
    try {
      // messages sent before are in the log before the view is taken
      await this.#waitFor(sending());
      const outcome = await this.#step(session);
      if (outcome !== 'condensed') this.#iterations++;
    } finally {
      this.#asking = false;
    }
    // an answer appends the queued messages; a step without an answer leaves them
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
   * Keeps the run active while a message is unanswered, such as a message that came during a model or tool call, and while hooks
   * are to be asked about the answer.
   */
  readonly #settle = (transaction: Transaction): void => {
    const { executionStatus } = transaction.state;
    if (executionStatus !== 'finished' && executionStatus !== 'idle') return;
    if (this.#hasUnseenMessage(transaction.state)) transaction.update({ set: { executionStatus: 'running' } });
    else if (executionStatus === 'finished') this.#stop.hold(transaction);
  };

  /**
   * Decides about messages that came while the run was ending. Resolves with true if this run answers them, false if the next run
   * may begin.
   */
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

  /**
   * Leaves the run to another process: a requested run that has not begun is recorded first. The commit waits for earlier writes.
   */
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
      // the store still fails: the first error tells why, and the next command settles the conversation
    }
    throw state.mask.error(toRunError(error, state));
  }
}

function isFailure(event: Event): event is ConversationErrorEvent {
  return isEvent(event, 'ConversationErrorEvent');
}
