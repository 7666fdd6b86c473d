import { fromStoreError } from '@conv/core';

import { beginRun, goesOn } from '../rules/begin-run.ts';
import type { Budget } from '../rules/budget.ts';
import { recordFailure, recordInterruption, toRunError } from '../rules/run-end.ts';
import { scheduleRun } from '../rules/run-record.ts';
import type { RunInput } from './run-input.ts';
import type { RunMachine } from './run-machine.ts';
import type { RunTurn } from './run-turn.ts';

export interface RunBoundsInput {
  readonly input: RunInput;
  readonly machine: RunMachine;
  readonly budget: Budget;
  readonly turn: RunTurn;
}

/**
 * The work of the phases before the first turn and after the last. A run becomes active and ends inside commits alone, so that the log,
 * the next command and the machine never disagree: `needless` and `over` are said while the lock is held.
 */
export class RunBounds {
  readonly #input: RunInput;
  readonly #machine: RunMachine;
  readonly #budget: Budget;
  readonly #turn: RunTurn;

  constructor({ input, machine, budget, turn }: RunBoundsInput) {
    this.#input = input;
    this.#machine = machine;
    this.#budget = budget;
    this.#turn = turn;
  }

  /** Work of `queued`. */
  async wait(): Promise<void> {
    const { messages, history } = this.#input;
    // a fork in progress must not see the run begin: it could start a call that the fork believes pending
    await this.#machine.waitFor(history.current);
    await this.#machine.waitFor(messages.sending);
    this.#machine.on({ kind: 'clear' });
  }

  /** Work of `beginning`: begins the run, if there is anything to do. */
  async begin(): Promise<void> {
    const { state, safeguards, maxIterations, how, expiration } = this.#input;
    const { risks } = safeguards;
    if (state.pendingActions.length > 0 && goesOn(state, how)) await this.#rateAgain();
    const begun = await state.transaction(async (transaction) => {
      const rules = { risks, budget: this.#budget, expiration: expiration() };
      const beginning = await beginRun(transaction, { ...rules, maxIterations, how });
      // inside the commit: whatever the lock lets in next finds no active run
      if (!beginning) return this.#machine.on({ kind: 'needless' });
      if (beginning.answered) this.#turn.resumeAnswered(transaction);
      return { ...beginning, seenMessageId: transaction.state.lastUserMessageId };
    });
    // stored: from here on, another process that finds the run finds all that it needs to resume it
    if (!begun) return;
    const { iterations: iterationsBefore, seenMessageId } = begun;
    this.#machine.on({ kind: 'begun', iterationsBefore, maxIterations: begun.maxIterations, seenMessageId });
  }

  /** Work of `settling` and `left`: decides if this run answers the messages that came while it was ending, or the next run does. */
  async settle(): Promise<void> {
    const { state, messages } = this.#input;
    await this.#machine.waitFor(messages.sending);
    const unseen = await state.transaction((transaction) => {
      // fence: a message that was sent since the await is looked at in the next round, not left without a run
      if (messages.sending) return false;
      const isUnseen =
        transaction.state.executionStatus === 'idle' && this.#machine.hasUnseenMessage(transaction.state);
      if (isUnseen) transaction.update({ set: { executionStatus: 'running' } });
      else this.#machine.on({ kind: 'over' });
      return isUnseen;
    });
    // stored: the status says `running` again before the next turn looks at it
    if (unseen) this.#machine.on({ kind: 'resumed' });
  }

  /** Work of `failing`: records why the run ends, and throws if the caller must know. */
  async end(error: unknown): Promise<void> {
    const { state } = this.#input;
    const mayHaveRun = this.#turn.mayHaveRun.bind(this.#turn);
    // another process owns the conversation: it recovers the run, and nothing can be written here
    if (state.lost.aborted) throw state.mask.error(fromStoreError(state.lost.reason, state.id));
    if (this.#machine.request === 'abandoned') return this.#handOver();
    if (this.#machine.request === 'interrupted')
      return state.transaction((transaction) =>
        recordInterruption(transaction, mayHaveRun, this.#input.session.started),
      );
    try {
      await state.transaction((transaction) =>
        recordFailure(transaction, mayHaveRun, error, (text) => state.mask.text(text)),
      );
    } catch {
      // the store still fails: the first error tells why, and the next command recovers the conversation
    }
    throw state.mask.error(toRunError(error, state));
  }

  /** Rates the calls that have not started again, because another process got the earlier assessments. */
  async #rateAgain(): Promise<void> {
    const { state, safeguards } = this.#input;
    // rate the stored actions, because an analyzer may use the model's own rating
    const pendingActions = await state.transaction((transaction) => transaction.pendingActions);
    const verdicts = await safeguards.risks.ask(state, pendingActions, this.#machine.signal);
    // the calls may have changed while the analyzer was asked: only open calls keep a verdict
    if (verdicts)
      await state.transaction(({ openActions }) => safeguards.risks.note(pendingActions, verdicts, openActions));
  }

  /** Leaves the run to another process; a requested run that has not begun is recorded first. The commit waits for earlier writes. */
  async #handOver(): Promise<void> {
    const { state, how, maxIterations } = this.#input;
    await state.transaction((transaction) => {
      if (!this.#machine.progress && !how.resumes) scheduleRun(transaction, maxIterations);
    });
  }
}
