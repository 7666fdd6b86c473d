import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import { userReject, type ActionEvent, type EventDraft } from '@conv/core/events';

import { abortable } from './abortable.ts';
import { appendHookEvents, tellModel, type ConversationHooks } from './conversation-hooks.ts';
import { failedResult } from './interrupted-calls.ts';
import { appendQueued } from './message-queue.ts';
import { isPermitted, markStarted, startedCall, startNext, type NextCall } from './start-call.ts';
import { askBeforeCall, NO_REASON, tellAfterCall } from './tool-hooks.ts';

/** What running calls needs of the run that they belong to. */
export interface CallRun {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  readonly hooks: ConversationHooks;
  /** Called in the commit of a result, after everything else of it. */
  readonly settle: (transaction: Transaction) => void;
}

/**
 * Runs the calls of the live branch that may run one after the other. Each start and each result is a commit: the start of the
 * next call travels with the result of the one before, unless hooks come between them (P5).
 */
export class CallRunner {
  readonly #run: CallRun;
  #executing: ActionEvent | undefined;

  constructor(run: CallRun) {
    this.#run = run;
  }

  /** Whether the tool of this open call was begun; its start may be on record although it was not. */
  mayHaveRun(action: ActionEvent): boolean {
    return this.#executing?.id === action.id;
  }

  /** Rejects with the signal's reason when interrupted; what was not run stays open. */
  async runApproved(session: AgentSession): Promise<void> {
    const { state, signal } = this.#run;
    let next = await state.transaction(async (transaction) => startedCall(transaction) ?? this.#startNext(transaction));
    while (next) {
      signal.throwIfAborted();
      next = next.started ? await this.#perform(session, next.action) : await this.#ask(next.action);
    }
  }

  /** Runs a call that has started; resolves with what comes next. */
  async #perform(session: AgentSession, action: ActionEvent): Promise<NextCall | undefined> {
    const { state, hooks, signal } = this.#run;
    this.#executing = action;
    const result = await this.#execute(session, action);
    const isFollowed = hooks.handles('PostToolUse', action.tool_name);
    const next = await this.#finish(action, result, isFollowed);
    this.#executing = undefined;
    if (!isFollowed) return next;
    const outcome = await tellAfterCall(state, hooks, action, result, signal);
    return this.#goOn(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      await tellModel(transaction, outcome.additionalContext, state);
    });
  }

  /** The call's result, also from an agent that breaks its contract: one call's trouble does not fail the run. */
  async #execute(session: AgentSession, action: ActionEvent): Promise<EventDraft> {
    const { signal } = this.#run;
    try {
      const { toolTimeout } = this.#run.state.accepted;
      const context = { signal, ...(toolTimeout === null ? {} : { timeout: toolTimeout }) };
      const result = await abortable(session.execute(action, context), signal);
      return answers(result, action) ? result : failedResult(action, 'The tool answered a call that was not this one.');
    } catch (error) {
      signal.throwIfAborted();
      return failedResult(action, error instanceof Error ? error.message : String(error));
    }
  }

  /** Stores a result. With hooks behind it nothing starts before they were told. */
  #finish(action: ActionEvent, result: EventDraft, isFollowed: boolean): Promise<NextCall | undefined> {
    const { state, signal, settle } = this.#run;
    return state.transaction(async (transaction) => {
      // a person may have moved on from this call in the meantime, and a second result would answer nothing
      if (transaction.openActions.some(({ id }) => id === action.id)) await appendResult(transaction, action, result);
      const next = signal.aborted || isFollowed ? undefined : await this.#startNext(transaction);
      await appendQueued(transaction);
      settle(transaction);
      return next;
    });
  }

  /** Asks the hooks about a call that may start. What they say and what follows from it is one commit (P5). */
  async #ask(action: ActionEvent): Promise<NextCall | undefined> {
    const { state, hooks, signal } = this.#run;
    const outcome = await askBeforeCall(state, hooks, action, signal);
    return state.transaction(async (transaction) => {
      await appendHookEvents(transaction, outcome);
      // a person may have rejected it meanwhile, or a stricter policy have taken it back
      if (isPermitted(transaction, action)) {
        if (!outcome.blocked) {
          markStarted(transaction, action);
          await tellModel(transaction, outcome.additionalContext, state);
          return { action, started: true };
        }
        await transaction.append(userReject(action, outcome.reason ?? NO_REASON, 'hook'));
      }
      return this.#settled(transaction);
    });
  }

  #goOn(work: (transaction: Transaction) => Promise<void>): Promise<NextCall | undefined> {
    return this.#run.state.transaction(async (transaction) => {
      await work(transaction);
      return this.#settled(transaction);
    });
  }

  async #settled(transaction: Transaction): Promise<NextCall | undefined> {
    const next = await this.#startNext(transaction);
    await appendQueued(transaction);
    this.#run.settle(transaction);
    return next;
  }

  #startNext(transaction: Transaction): Promise<NextCall | undefined> {
    return startNext(transaction, ({ tool_name: tool }) => this.#run.hooks.handles('PreToolUse', tool));
  }
}

async function appendResult(transaction: Transaction, action: ActionEvent, result: EventDraft): Promise<void> {
  try {
    await transaction.append(result);
  } catch (error) {
    if (!isConversationError(error)) throw error;
    await transaction.append(failedResult(action, `The tool ran, but its result cannot be stored: ${error.code}.`));
  }
}

function answers(result: EventDraft, action: ActionEvent): boolean {
  if (!('tool_call_id' in result) || result.tool_call_id !== action.tool_call_id) return false;
  return !('action_id' in result) || result.action_id === action.id;
}
