import { isConversationError, type AgentSession, type ConversationState, type Transaction } from '@conv/core';
import type { ActionEvent, EventDraft } from '@conv/core/events';

import { abortable } from './abortable.ts';
import { startNext } from './approvals.ts';
import { failedResult } from './interrupted-calls.ts';
import { appendQueued } from './message-queue.ts';

/** What running calls needs of the run that they belong to. */
export interface CallRun {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  /** Called in the commit of a result, after everything else of it. */
  readonly settle: (transaction: Transaction) => void;
}

/**
 * Runs the approved calls of the live branch one after the other. Each start and each result is a commit: the start of the
 * next call travels with the result of the one before (P5).
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
    let action = await state.transaction(
      async (transaction) => startedCall(transaction) ?? (await startNext(transaction)),
    );
    while (action) {
      signal.throwIfAborted();
      this.#executing = action;
      const result = await this.#execute(session, action);
      action = await this.#finish(action, result);
      this.#executing = undefined;
    }
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

  #finish(action: ActionEvent, result: EventDraft): Promise<ActionEvent | undefined> {
    const { state, signal, settle } = this.#run;
    return state.transaction(async (transaction) => {
      // a person may have moved on from this call in the meantime, and a second result would answer nothing
      if (transaction.openActions.some(({ id }) => id === action.id)) await appendResult(transaction, action, result);
      const next = signal.aborted ? undefined : await startNext(transaction);
      await appendQueued(transaction);
      settle(transaction);
      return next;
    });
  }
}

/** The call that a step has started in the commit of its ActionEvent. */
function startedCall({ pendingActions, state }: Transaction): ActionEvent | undefined {
  return pendingActions.find(({ id }) => state.calls[id] === 'started');
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
