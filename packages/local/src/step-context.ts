import {
  ConversationError,
  needsConfirmation,
  type ConversationState,
  type JsonObject,
  type SecretDescription,
  type StateFields,
  type StepContext,
  type TokenDelta,
  type Transaction,
} from '@conv/core';
import { isEvent, type ActionEvent, type Event, type EventDraft } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

import { riskOf } from './action-risk.ts';
import { approveActions, startNext } from './approvals.ts';
import { appendQueued } from './message-queue.ts';

/** What a step's context needs of the run that it belongs to. */
export interface StepRun {
  readonly state: ConversationState;
  readonly signal: AbortSignal;
  /** Called in each commit of the step, after everything else of it. */
  readonly settle: (transaction: Transaction) => void;
  /** Told the newest user message that the model is going to see. */
  readonly sawMessage: (id: string | null) => void;
}

/** What one step of the agent is given. Closed when the step ends: a step that was left behind writes nothing any more. */
export class LocalStepContext implements StepContext {
  readonly signal: AbortSignal;
  readonly #run: StepRun;
  #closed = false;

  constructor(run: StepRun) {
    this.#run = run;
    this.signal = run.signal;
  }

  get state(): StateFields {
    return this.#run.state.accepted;
  }

  get secrets(): readonly SecretDescription[] {
    return [];
  }

  get onToken(): ((delta: TokenDelta) => void) | undefined {
    const { state } = this.#run;
    if (!state.wantsTokens) return undefined;
    return (delta) => {
      if (!this.#closed) state.publishToken(delta);
    };
  }

  async view(): Promise<readonly Event[]> {
    const { state, sawMessage } = this.#run;
    sawMessage(state.lastUserMessageId);
    return state.modelView();
  }

  emit(drafts: readonly EventDraft[], records: readonly CallRecord[] = []): Promise<readonly Event[]> {
    return this.#write(async (transaction) => {
      const events = await transaction.append(...drafts);
      transaction.record(...records);
      await decide(transaction, events.filter(isExecutableAction));
      await appendQueued(transaction);
      this.#run.settle(transaction);
      return events;
    });
  }

  setAgentState(patch: JsonObject): Promise<void> {
    return this.#write((transaction) => transaction.update({ add: { agentState: patch } }));
  }

  close(): void {
    this.#closed = true;
  }

  #write<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    return this.#run.state.transaction((transaction) => {
      if (this.#closed) throw new ConversationError('CLOSED', 'the step has ended');
      return work(transaction);
    });
  }
}

/** Approves the actions of one response or holds all of them back, as the policy in force says; part of the commit that stores them. */
async function decide(transaction: Transaction, actions: readonly ActionEvent[]): Promise<void> {
  if (actions.length === 0) return;
  const { state } = transaction;
  const held = needsConfirmation(state.confirmationPolicy, actions, (action) => riskOf(state, action));
  if (!held) approveActions(transaction, actions);
  await startNext(transaction);
}

function isExecutableAction(event: Event): event is ActionEvent {
  return isEvent(event, 'ActionEvent') && event.action !== undefined && event.action !== null;
}
