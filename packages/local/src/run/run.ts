import type { RunResult, StuckFinding } from '@conv/core';
import { runReason } from '@conv/openhands/messages';
import { isEvent, type Event, type EventOfKind } from '@conv/core/events';

import { Budget } from '../rules/budget.ts';
import { newest } from '../safeguards/branch-tail.ts';
import { RunBounds } from './run-bounds.ts';
import type { RunInput } from './run-input.ts';
import { RunMachine } from './run-machine.ts';
import { RunTurn } from './run-turn.ts';

/**
 * A run: steps of the agent and their calls, until the status says stop. Each change is a commit of its own, so a run can end at
 * any point, even by a crash, and be resumed (P5, decision 25).
 *
 *     run, pause, leave … ──► RunMachine (phase, request)
 *                                 │ phase          ▲ event
 *                                 ▼                │
 *                              #work: RunBounds, RunTurn ──► commits ──► status
 *
 * Invariant: the work of one phase is in progress at a time. It ends by an event that changes the phase, or rejects; the one
 * exception is `settling`, which looks again when a message is on its way.
 */
export class Run {
  readonly #input: RunInput;
  readonly #machine = new RunMachine();
  readonly #turn: RunTurn;
  readonly #bounds: RunBounds;
  readonly budget: Budget;
  /** The result of the run. Rejects as `Conversation.run` does. */
  readonly done: Promise<RunResult>;

  constructor(input: RunInput) {
    this.#input = input;
    this.budget = new Budget(input.outerBudget);
    this.#turn = new RunTurn(input, this.#machine, this.budget);
    this.#bounds = new RunBounds({ input, machine: this.#machine, budget: this.budget, turn: this.#turn });
    this.done = this.#run();
    // callers that await the result get the error; a run without a waiting caller must not end the process
    this.done.catch(() => {});
  }

  /** The loop that ended the run; `undefined` when there was none. */
  get stuck(): StuckFinding | undefined {
    return this.#turn.stuck;
  }

  /** True if the run accepts no more messages; the next run does. */
  get ended(): boolean {
    return this.#machine.phase.kind === 'ended';
  }

  /** True while the model is asked: messages sent meanwhile come after its answer. */
  get asking(): boolean {
    return this.#machine.phase.kind === 'asking';
  }

  /** Stops after the current step. */
  pause(): void {
    this.#machine.ask('pause');
  }

  /** Hands the run over: it ends where a pause would end it, and leaves the status at `running`. */
  leave(): void {
    this.#machine.ask('leave');
  }

  /** Ends the run at once and writes nothing more, as if the process had ended. An earlier interruption is recorded all the same. */
  abandon(): void {
    this.#machine.ask('abandon');
  }

  /** Starts calls that a person has permitted meanwhile. */
  lookAgain(): void {
    this.#turn.lookAgain();
  }

  /** Cancels model and tools. */
  interrupt(): void {
    this.#machine.ask('interrupt');
  }

  async #run(): Promise<RunResult> {
    const { state } = this.#input;
    try {
      while (!this.ended) await this.#work();
    } catch (error) {
      this.#machine.on({ kind: 'fail' });
      await this.#bounds.end(error);
    } finally {
      // last, also when the end could not be stored: the next command recovers the conversation (P5)
      this.#machine.on({ kind: 'over' });
    }
    const iterations = this.#machine.progress?.iterations ?? 0;
    return { status: state.executionStatus, iterations, ...(await this.#reason()) };
  }

  /** Does the work of the phase, which enters the next phase. */
  #work(): Promise<void> {
    const { phase } = this.#machine;
    switch (phase.kind) {
      case 'queued':
        return this.#bounds.wait();
      case 'beginning':
        return this.#bounds.begin();
      case 'calling':
        return this.#turn.call(phase.progress);
      case 'deciding':
        return this.#turn.decide(phase);
      case 'asking':
        return this.#turn.ask(phase);
      case 'stepped':
        return this.#turn.finish();
      case 'settling':
      case 'left':
        return this.#bounds.settle();
      case 'answered':
      case 'failing':
      case 'ended':
        // the work of another phase passes through these
        throw new Error(`a run that is ${phase.kind} has no work of its own`);
    }
  }

  async #reason(): Promise<Pick<RunResult, 'reason'>> {
    const { events, executionStatus, leafEventId } = this.#input.state;
    if (executionStatus !== 'error' && executionStatus !== 'stuck') return {};
    const end = await newest(events, leafEventId, isFailure);
    return end ? { reason: runReason(end) } : {};
  }
}

function isFailure(event: Event): event is EventOfKind<'ConversationErrorEvent'> {
  return isEvent(event, 'ConversationErrorEvent');
}
