import {
  ConversationError,
  type AgentSession,
  type ConversationState,
  type RunResult,
  type Transaction,
} from '@conv/core';
import { classifyError, conversationError, interrupt, pause } from '@conv/core/events';

import { abortable } from './abortable.ts';
import { runApprovedCalls } from './call-runner.ts';
import { appendQueued } from './message-queue.ts';
import { interrupted, NOT_STARTED, OUTCOME_UNKNOWN } from './recover.ts';
import { LocalStepContext } from './step-context.ts';

/** What a run works with. */
export interface RunInput {
  readonly state: ConversationState;
  readonly session: () => Promise<AgentSession>;
  readonly maxIterations: number;
}

/** The reason that an interrupted run's signal carries. */
const INTERRUPTED = 'interrupted';

/**
 * One run: steps of the agent and the calls that they ask for, until the status says stop. Everything it changes is a commit
 * of its own, so that a run can end at any point, by a crash too, and be taken up again.
 */
export class Run {
  readonly #input: RunInput;
  readonly #controller = new AbortController();
  readonly #done: Promise<RunResult>;
  #pauseRequested = false;
  #iterations = 0;
  #seenMessageId: string | null = null;

  constructor(input: RunInput) {
    this.#input = input;
    this.#seenMessageId = input.state.lastUserMessageId;
    this.#done = this.#run();
    // whoever awaits the result is told; a run that nobody awaits must not end the process
    this.#done.catch(() => {});
  }

  /** How it ended. Rejects as `Conversation.run` does. */
  get done(): Promise<RunResult> {
    return this.#done;
  }

  /** Stops after the current step. */
  pause(): void {
    this.#pauseRequested = true;
  }

  /** Cancels model and tools. */
  interrupt(): void {
    this.#controller.abort(new DOMException(INTERRUPTED, 'AbortError'));
  }

  /** Cancels model and tools; the run rejects with `error` and commits nothing more. */
  abandon(error: unknown): void {
    this.#controller.abort(error);
  }

  async #run(): Promise<RunResult> {
    try {
      await this.#begin();
      while (this.#goesOn) await this.#turn();
    } catch (error) {
      await this.#end(error);
    }
    return { status: this.#input.state.executionStatus, iterations: this.#iterations };
  }

  /** Approves what waits, and says that a run is on. */
  #begin(): Promise<void> {
    return this.#input.state.transaction((transaction) => {
      const calls = Object.fromEntries(
        transaction.pendingActions
          .filter(({ id }) => !transaction.state.calls[id])
          .map(({ id }) => [id, 'approved' as const]),
      );
      transaction.update({ set: { executionStatus: 'running' }, add: { calls } });
    });
  }

  get #goesOn(): boolean {
    return this.#input.state.executionStatus === 'running';
  }

  async #turn(): Promise<void> {
    const { state, maxIterations } = this.#input;
    const { signal } = this.#controller;
    const session = await abortable(this.#input.session(), signal);
    await runApprovedCalls({ state, session, signal, settle: this.#settle });
    if (!this.#goesOn) return;
    if (this.#pauseRequested) return void (await state.append([pause()]));
    if (this.#iterations >= maxIterations) return this.#limit();
    await this.#step(session);
  }

  async #step(session: AgentSession): Promise<void> {
    const { signal } = this.#controller;
    const sawMessages = (id: string | null): void => void (this.#seenMessageId = id);
    const context = new LocalStepContext(this.#input.state, signal, { settle: this.#settle, sawMessages });
    this.#iterations++;
    try {
      await abortable(session.step(context), signal);
    } finally {
      context.close();
    }
  }

  /** A run does not end while a message is unanswered: one that came during the model's call or waited for a tool. */
  readonly #settle = (transaction: Transaction): void => {
    const { executionStatus, lastUserMessageId } = transaction.state;
    const unseen = lastUserMessageId !== this.#seenMessageId;
    if (unseen && (executionStatus === 'finished' || executionStatus === 'idle')) {
      transaction.update({ set: { executionStatus: 'running' } });
    }
  };

  async #limit(): Promise<void> {
    const code = 'MaxIterationsReached';
    const detail = `Agent reached maximum iterations limit (${this.#input.maxIterations}).`;
    await this.#input.state.append([conversationError(code, detail)]);
  }

  async #end(error: unknown): Promise<void> {
    const { state } = this.#input;
    const { signal } = this.#controller;
    if (state.lost.aborted) throw lostError(state.lost.reason, state.id);
    if (signal.aborted && isInterruption(signal.reason)) return this.#endInterrupted();
    if (signal.aborted) throw signal.reason;
    if (isStoreFailure(error)) throw error;
    await this.#endFailed(error);
    const detail = error instanceof Error ? error.message : String(error);
    throw new ConversationError('RUN_FAILED', `the run of conversation ${state.id} failed: ${detail}`, {
      cause: error,
      conversationId: state.id,
    });
  }

  /** Every unfinished call gets its result, then the interruption is on record. */
  #endInterrupted(): Promise<void> {
    return this.#input.state.transaction(async (transaction) => {
      const { calls } = transaction.state;
      for (const action of transaction.openActions) {
        await transaction.append(interrupted(action, calls[action.id] === 'started' ? OUTCOME_UNKNOWN : NOT_STARTED));
      }
      await appendQueued(transaction);
      await transaction.append(interrupt());
    });
  }

  #endFailed(error: unknown): Promise<void> {
    return this.#input.state.transaction(async (transaction) => {
      for (const action of transaction.openActions) {
        if (transaction.state.calls[action.id] === 'started')
          await transaction.append(interrupted(action, OUTCOME_UNKNOWN));
      }
      transaction.update({ set: { calls: {} } });
      await appendQueued(transaction);
      const detail = error instanceof Error ? error.message : String(error);
      const code = errorCode(error);
      await transaction.append({
        ...conversationError(code, detail, classifyError(code, detail)),
        source: 'environment',
      });
    });
  }
}

function isInterruption(reason: unknown): boolean {
  return reason instanceof DOMException && reason.message === INTERRUPTED;
}

/** Errors that a commit could not be made for: another commit would fail too. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof ConversationError && ['STORE_FAILED', 'FENCED', 'CLOSED'].includes(error.code);
}

function lostError(cause: unknown, conversationId: string): ConversationError {
  return new ConversationError('FENCED', `conversation ${conversationId} was taken over; its run here was cancelled`, {
    cause,
    conversationId,
  });
}

/** The code that the log and clients know a failure by; an error names its own (see `LlmError.conversationErrorCode`). */
function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'Error';
  if ('conversationErrorCode' in error && typeof error.conversationErrorCode === 'string')
    return error.conversationErrorCode;
  return error instanceof Error ? error.name : 'Error';
}
