import {
  ConversationError,
  type Agent,
  type AgentSession,
  type AskResult,
  type Conversation,
  type ConversationFeatures,
  type ConversationState,
  type EventsList,
  type MessageInput,
  type RunOptions,
  type RunResult,
  type SentMessage,
  type Subscriber,
  type SubscribeOptions,
  type Subscription,
  type Transaction,
  type Visualizer,
} from '@conv/core';
import { pause, userReject, type ActionEvent, type Event } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';

import { LocalHistory } from './history.ts';
import { appendQueued, enqueue, toUserMessage } from './message-queue.ts';
import { Run } from './run.ts';
import { checkMaxIterations, LocalSettings } from './settings.ts';

/** What a local conversation is put together from. */
export interface LocalConversationParts {
  readonly state: ConversationState;
  readonly agent: Agent;
  readonly store: ConversationStore;
  /** The store was made for this conversation and is closed with it. */
  readonly ownsStore: boolean;
  readonly toolSession: ToolSession;
  readonly folderOf: (id: string) => string | null;
  readonly visualizer: Visualizer | undefined;
  /** Milliseconds. */
  readonly subscriberGrace: number;
}

/** What a model reads when a message came instead of an approval. */
const SUPERSEDED = 'The user sent a new message instead of approving this action.';

/** A conversation whose agent runs in this process. Made by `openLocalConversation`. */
export class LocalConversation implements Conversation {
  readonly id: string;
  readonly settings: LocalSettings;
  readonly history: LocalHistory;
  readonly features: ConversationFeatures = { fork: true, commits: true };
  readonly #parts: LocalConversationParts;
  #session: Promise<AgentSession> | undefined;
  #run: Run | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LocalConversationParts) {
    const { state, store, folderOf, visualizer } = parts;
    this.#parts = parts;
    this.id = state.id;
    this.settings = new LocalSettings(state);
    this.history = new LocalHistory({ state, store, folderOf, running: () => this.#run !== undefined });
    state.lost.addEventListener('abort', () => this.#run?.abandon(state.lost.reason), { once: true });
    if (!visualizer) return;
    visualizer.initialize?.(state.fields);
    state.subscribe(visualizer);
  }

  get state(): ConversationState {
    return this.#parts.state;
  }

  get events(): EventsList {
    return this.#parts.state.events;
  }

  /** The agent that answers. */
  get agent(): Agent {
    return this.#parts.agent;
  }

  async sendMessage(message: MessageInput, options: { sender?: string } = {}): Promise<SentMessage> {
    this.#assertOpen();
    const draft = toUserMessage(message, options.sender);
    const prompt = this.state.accepted.leafEventId === null ? (await this.#startSession()).systemPrompt() : undefined;
    return this.state.transaction(async (transaction) => {
      if (prompt && transaction.state.leafEventId === null) await transaction.append(prompt);
      if (transaction.state.executionStatus !== 'running')
        await rejectActions(transaction, transaction.pendingActions, SUPERSEDED);
      if (transaction.openActions.length > 0) return { id: enqueue(transaction, draft), queued: true };
      await appendQueued(transaction);
      const [event] = await transaction.append(draft);
      return { id: (event as Event).id, queued: false };
    });
  }

  async run(options: RunOptions = {}): Promise<RunResult> {
    this.#assertOpen();
    const maxIterations = checkMaxIterations(options.maxIterations ?? this.state.accepted.maxIterations);
    if (this.#run)
      throw new ConversationError('BUSY', `a run of conversation ${this.id} is in progress`, {
        conversationId: this.id,
      });
    const { executionStatus, leafEventId } = this.state.accepted;
    if (executionStatus === 'finished' || leafEventId === null) return { status: executionStatus, iterations: 0 };
    const run = new Run({ state: this.state, session: () => this.#startSession(), maxIterations });
    this.#run = run;
    const interrupt = (): void => run.interrupt();
    options.signal?.addEventListener('abort', interrupt, { once: true });
    if (options.signal?.aborted) interrupt();
    try {
      return await run.done;
    } finally {
      options.signal?.removeEventListener('abort', interrupt);
      this.#run = undefined;
      await this.state.delivered(this.#parts.subscriberGrace);
    }
  }

  async pause(): Promise<void> {
    this.#assertOpen();
    if (this.#run) return this.#run.pause();
    await this.state.transaction(async (transaction) => {
      if (transaction.state.executionStatus === 'idle') await transaction.append(pause());
    });
  }

  async interrupt(): Promise<void> {
    this.#assertOpen();
    if (!this.#run) return this.pause();
    this.#run.interrupt();
    await this.#run.done.catch(() => {});
  }

  async approve(actionIds?: readonly string[]): Promise<void> {
    this.#assertOpen();
    await this.state.transaction((transaction) => {
      const actions = chooseActions(transaction, actionIds);
      if (actions.length === 0) return;
      transaction.update({ add: { calls: Object.fromEntries(actions.map(({ id }) => [id, 'approved' as const])) } });
    });
  }

  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    this.#assertOpen();
    await this.state.transaction(async (transaction) => {
      await rejectActions(transaction, chooseActions(transaction, actionIds), reason);
      await appendQueued(transaction);
    });
  }

  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#assertOpen();
    if (typeof question !== 'string' || question.trim() === '') {
      throw new ConversationError('INVALID_INPUT', 'a question must be text that is not blank');
    }
    const session = await this.#startSession();
    return session.answer(question, await this.state.modelView(), options.signal ?? new AbortController().signal);
  }

  finalResponse(): Promise<string> {
    return this.state.events.lastAnswer(this.state.leafEventId);
  }

  subscribe(
    subscriber: Subscriber | ((event: Event) => void | Promise<void>),
    options: SubscribeOptions = {},
  ): Subscription {
    this.#assertOpen();
    return this.state.subscribe(typeof subscriber === 'function' ? { onEvent: subscriber } : subscriber, options);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { state, store, ownsStore, visualizer, subscriberGrace } = this.#parts;
    this.#run?.interrupt();
    await this.#run?.done.catch(() => {});
    const session = await this.#session?.catch(() => undefined);
    await session?.close();
    await state.delivered(subscriberGrace);
    await visualizer?.close?.();
    await state.close();
    if (ownsStore) await store.close();
  }

  /** The agent's tools, made when first needed; a failure is not remembered. */
  #startSession(): Promise<AgentSession> {
    this.#session ??= this.#parts.agent.start(this.#parts.toolSession).catch((error: unknown) => {
      this.#session = undefined;
      throw error;
    });
    return this.#session;
  }

  #assertOpen(): void {
    if (this.#closing) throw new ConversationError('CLOSED', `conversation ${this.id}`, { conversationId: this.id });
  }
}

/** The pending actions with these ids, default all. Throws `UNKNOWN_ACTION` for an id that is not pending. */
function chooseActions(transaction: Transaction, ids: readonly string[] | undefined): readonly ActionEvent[] {
  const { pendingActions } = transaction;
  if (ids === undefined) return pendingActions;
  return ids.map((id) => {
    const action = pendingActions.find((pending) => pending.id === id);
    if (!action) throw new ConversationError('UNKNOWN_ACTION', `no pending action has the id ${JSON.stringify(id)}`);
    return action;
  });
}

async function rejectActions(
  transaction: Transaction,
  actions: readonly ActionEvent[],
  reason?: string,
): Promise<void> {
  await transaction.append(...actions.map((action) => userReject(action, reason)));
}
