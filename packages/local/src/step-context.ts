import {
  ConversationError,
  needsConfirmation,
  type CallContext,
  type ConversationState,
  type JsonObject,
  type StateFields,
  type StepContext,
  type TokenDelta,
  type Transaction,
} from '@conv/core';
import { isEvent, type ActionEvent, type Event, type EventDraft } from '@conv/core/events';
import type { CallRecord } from '@conv/core/store';

import { startFirst } from './call-runner.ts';

/** What one step of the agent is given. Closed when the step ends: a step that was left behind writes nothing any more. */
export class LocalStepContext implements StepContext, CallContext {
  readonly signal: AbortSignal;
  readonly #state: ConversationState;
  readonly #settle: (transaction: Transaction) => void;
  readonly #sawMessages: (lastUserMessageId: string | null) => void;
  #closed = false;

  constructor(
    state: ConversationState,
    signal: AbortSignal,
    hooks: {
      readonly settle: (transaction: Transaction) => void;
      readonly sawMessages: (lastUserMessageId: string | null) => void;
    },
  ) {
    this.#state = state;
    this.signal = signal;
    this.#settle = hooks.settle;
    this.#sawMessages = hooks.sawMessages;
  }

  get state(): StateFields {
    return this.#state.accepted;
  }

  get onToken(): ((delta: TokenDelta) => void) | undefined {
    if (!this.#state.wantsTokens) return undefined;
    return (delta) => {
      if (!this.#closed) this.#state.publishToken(delta);
    };
  }

  async view(): Promise<readonly Event[]> {
    const seen = this.#state.lastUserMessageId;
    const view = await this.#state.modelView();
    this.#sawMessages(seen);
    return view;
  }

  emit(drafts: readonly EventDraft[], records: readonly CallRecord[] = []): Promise<readonly Event[]> {
    return this.#write(async (transaction) => {
      const events = await transaction.append(...drafts);
      transaction.record(...records);
      approve(transaction, events.filter(isExecutableAction));
      this.#settle(transaction);
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
    return this.#state.transaction((transaction) => {
      if (this.#closed) throw new ConversationError('CLOSED', 'the step has ended');
      return work(transaction);
    });
  }
}

/** Approves the actions of one response or holds all of them back, as the policy in force says; part of the commit that stores them. */
function approve(transaction: Transaction, actions: readonly ActionEvent[]): void {
  if (actions.length === 0) return;
  if (needsConfirmation(transaction.state.confirmationPolicy, actions)) {
    transaction.update({ set: { executionStatus: 'waiting_for_confirmation' } });
    return;
  }
  transaction.update({ add: { calls: Object.fromEntries(actions.map(({ id }) => [id, 'approved' as const])) } });
  startFirst(transaction);
}

function isExecutableAction(event: Event): event is ActionEvent {
  return isEvent(event, 'ActionEvent') && event.action !== undefined && event.action !== null;
}
