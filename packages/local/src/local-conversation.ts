import {
  ConversationError,
  fromStoreError,
  type Agent,
  type AgentSession,
  type AskResult,
  type CallAnswer,
  type Cipher,
  type Conversation,
  type ConversationErrorCode,
  type ConversationFeatures,
  type ConversationState,
  type EventsList,
  type ExecutionStatus,
  type MessageInput,
  type RunOptions,
  type RunResult,
  type SendOptions,
  type SentMessage,
  type StuckFinding,
  type Subscriber,
  type SubscribeOptions,
  type Subscription,
  type Transaction,
  type Visualizer,
} from '@conv/core';
import { pause, type Event } from '@conv/core/events';
import type { ConversationStore } from '@conv/core/store';
import type { ToolSession } from '@conv/core/tool';

import { approveActions, chooseActions, rejectActions } from './approvals.ts';
import { checkMaxIterations } from './check-settings.ts';
import type { ChildHost, OpenChild } from './child-host.ts';
import type { AskAboutChild } from './child-work.ts';
import { LocalChildren } from './children.ts';
import type { ClientCalls } from './client-calls.ts';
import { Condensing } from './condensing.ts';
import { startControls, type ControlParts, type Controls } from './controls.ts';
import { LocalGoal, type GoalInput } from './goal.ts';
import { LocalHistory } from './history.ts';
import { LazySession } from './lazy-session.ts';
import { ModelSwitch } from './model-switch.ts';
import { appendQueued, toUserMessage } from './message-queue.ts';
import { Messages } from './messages.ts';
import { bringToRest } from './recover.ts';
import { Reruns } from './reruns.ts';
import { Run } from './run.ts';
import { LocalSettings } from './settings.ts';
import { askOnTheSide } from './side-question.ts';
import { Titles } from './titles.ts';

/** What a local conversation is put together from. */
export interface LocalConversationParts extends ControlParts {
  readonly state: ConversationState;
  /** The one that it starts with. */
  readonly agent: Agent;
  /** For the keys of models that are set later. */
  readonly cipher: Cipher | undefined;
  readonly store: ConversationStore;
  /** The store was made for this conversation and is closed with it. */
  readonly ownsStore: boolean;
  /** What tools are made for, but for the secrets. */
  readonly toolSession: ToolSession;
  /** The tools of its caller, which are among those of the session. */
  readonly clientCalls: ClientCalls;
  /** The folder of the conversation with this id; `null` when its store keeps none. */
  readonly folderOf: (id: string) => string | null;
  readonly openChild: OpenChild;
  /** What it has of the conversation that it works for. */
  readonly host: ChildHost | undefined;
  readonly onChildConfirmation: AskAboutChild | undefined;
  readonly visualizer: Visualizer | undefined;
  /** Milliseconds. */
  readonly subscriberGrace: number;
}

/** A conversation whose agent runs in this process. Made by `openLocalConversation`. */
export class LocalConversation implements Conversation {
  readonly id: string;
  readonly settings: LocalSettings;
  readonly history: LocalHistory;
  readonly goal: LocalGoal;
  readonly features: ConversationFeatures = { fork: true, commits: true, answerCall: true, rerunActions: true };
  readonly #parts: LocalConversationParts;
  readonly #controls: Controls;
  readonly #session: LazySession;
  readonly #messages: Messages;
  readonly #condensing: Condensing;
  readonly #reruns: Reruns;
  readonly #children: LocalChildren;
  readonly #closed = new AbortController();
  #run: Run | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LocalConversationParts) {
    const { state, store, folderOf, visualizer, agent, toolSession } = parts;
    this.#parts = parts;
    this.id = state.id;
    this.#controls = startControls(state, parts, toolSession);
    const { risks, secrets } = this.#controls;
    this.#children = new LocalChildren({
      ...parts,
      open: parts.openChild,
      ask: parts.onChildConfirmation,
      controls: this.#controls,
      budget: () => this.#activeRun?.budget,
    });
    this.#session = new LazySession(agent, {
      ...toolSession,
      ...(secrets ? { secrets } : {}),
      children: this.#children,
      setModel: (model) => models.set(model),
    });
    const models = new ModelSwitch({ state, session: this.#session, vault: parts.vault, cipher: parts.cipher });
    const assertOpen = (): void => this.#assertOpen();
    const running = (): boolean => this.#activeRun !== undefined;
    const session = (): Promise<AgentSession> => this.#session.get();
    this.#messages = new Messages({
      state,
      controls: this.#controls,
      agent: () => this.agent,
      session,
      change: (work) => this.#change(work),
    });
    const titles = new Titles({ state, session, closed: this.#closed.signal });
    this.settings = new LocalSettings({
      state,
      risks,
      secrets,
      models,
      titles,
      tightened: () => this.#children.tighten(),
    });
    this.#condensing = new Condensing({ state, session, controls: this.#controls, running });
    this.goal = this.#goalOf({ running, assertOpen, session });
    const pursuing = (): boolean => this.goal.active;
    this.#reruns = new Reruns({ state, session, hooks: this.#controls.hooks, assertFree: () => this.#assertFree() });
    const work = { condensing: this.#condensing, reruns: this.#reruns };
    this.history = new LocalHistory({ state, store, folderOf, running, pursuing, assertOpen, ...work });
    state.lost.addEventListener('abort', () => this.#lose(), { once: true });
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
    return this.#session.agent;
  }

  /** What the last run was ended for, when it ended `stuck`; `undefined` after a restart. */
  get stuck(): StuckFinding | undefined {
    return this.#run?.stuck;
  }

  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    return this.#messages.sendForCaller(toUserMessage(message, options), this.goal.supersede);
  }

  async run(options: RunOptions = {}): Promise<RunResult> {
    this.#assertFree();
    return this.#start(options);
  }

  async #start(options: RunOptions): Promise<RunResult> {
    const maxIterations = checkMaxIterations(options.maxIterations ?? this.state.accepted.maxIterations);
    if (this.#activeRun) throw this.#error('BUSY', `a run of conversation ${this.id} is in progress`);
    const run = new Run({
      state: this.state,
      session: () => this.#session.get(),
      maxIterations,
      controls: this.#controls,
      outerBudget: this.#parts.host?.budget,
      sending: () => this.#messages.sending,
      historyWork: () => this.history.work,
    });
    this.#run = run;
    const interrupt = (): void => run.interrupt();
    options.signal?.addEventListener('abort', interrupt, { once: true });
    if (options.signal?.aborted) interrupt();
    try {
      return await run.done;
    } finally {
      options.signal?.removeEventListener('abort', interrupt);
      await this.#children.end();
      await this.state.delivered(this.#parts.subscriberGrace);
    }
  }

  async pause(): Promise<void> {
    this.#assertOpen();
    await this.goal.end();
    if (this.#activeRun) return this.#activeRun.pause();
    await this.#change(async (transaction) => {
      if (transaction.state.executionStatus === 'idle') await transaction.append(pause());
    });
  }

  async interrupt(): Promise<void> {
    this.#assertOpen();
    this.#interruptWork(new DOMException('interrupted', 'AbortError'));
    const run = this.#activeRun;
    run?.interrupt();
    await this.goal.interrupt();
    if (!run) return this.pause();
    await run.done.catch(ignore);
    await this.#children.end();
  }

  async approve(actionIds?: readonly string[]): Promise<void> {
    this.#assertOpen();
    await this.#change((transaction) => approveActions(transaction, chooseActions(transaction, actionIds)));
    this.#activeRun?.lookAgain();
  }

  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    this.#assertOpen();
    await this.#change(async (transaction) => {
      await rejectActions(transaction, chooseActions(transaction, actionIds), reason);
      await appendQueued(transaction);
    });
    this.#activeRun?.lookAgain();
  }

  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    this.#assertOpen();
    await this.#parts.clientCalls.answer(actionId, answer, this.#activeRun?.done ?? Promise.resolve());
  }

  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#assertOpen();
    const signal = AbortSignal.any([this.#closed.signal, ...(options.signal ? [options.signal] : [])]);
    return askOnTheSide({ state: this.state, session: () => this.#session.get() }, question, signal);
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

  /** As {@link LocalConversation.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One commit of a command. What a run left behind whose own end could not be stored is settled in a commit before it. */
  async #change<T>(work: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const isLeft = (status: ExecutionStatus): boolean => status === 'running' && !this.#activeRun;
    if (!isLeft(this.state.accepted.executionStatus)) return this.state.transaction(work);
    const settled = this.state.transaction(async (transaction) => {
      if (isLeft(transaction.state.executionStatus)) await bringToRest(transaction);
    });
    const [, done] = await Promise.all([settled, this.state.transaction(work)]);
    return done;
  }

  #goalOf(given: Pick<GoalInput, 'session' | 'running' | 'assertOpen'>): LocalGoal {
    return new LocalGoal({
      ...given,
      state: this.state,
      send: (draft, also) => this.#messages.send(draft, also),
      store: (transaction, draft) => this.#messages.add(transaction, draft),
      run: (signal) => this.#start({ signal }),
      pause: () => this.#activeRun?.pause(),
    });
  }

  get #activeRun(): Run | undefined {
    return this.#run?.ended === false ? this.#run : undefined;
  }

  #interruptWork(reason: unknown): void {
    this.#condensing.interrupt(reason);
    this.#reruns.interrupt(reason);
  }

  #lose(): void {
    const { lost, id } = this.state;
    this.#run?.interrupt();
    void this.goal.interrupt();
    this.#interruptWork(fromStoreError(lost.reason, id));
  }

  async #close(): Promise<void> {
    this.#interruptWork(this.#error('CLOSED', `conversation ${this.id}`));
    this.#run?.interrupt();
    await this.goal.interrupt();
    await this.#run?.done.catch(ignore);
    await this.#children.close(this.#error('CLOSED', `conversation ${this.id}`));
    this.#closed.abort(this.#error('CLOSED', `conversation ${this.id}`));
    // neither hooks nor tools nor visualizer may keep the conversation from being given up
    const [hooks] = await Promise.allSettled([this.#controls.hooks.endSession()]);
    const ends = [hooks, ...(await Promise.allSettled([this.#session.close(), this.#leave()]))];
    if (this.#parts.ownsStore) await this.#parts.store.close();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #leave(): Promise<void> {
    const { state, visualizer, subscriberGrace } = this.#parts;
    await state.delivered(subscriberGrace);
    await state.close();
    await visualizer?.close?.();
  }

  #assertFree(): void {
    this.#assertOpen();
    if (this.#activeRun) throw this.#error('BUSY', `a run of conversation ${this.id} is in progress`);
    if (this.goal.active) throw this.#error('BUSY', `conversation ${this.id} works on a goal`);
  }

  #assertOpen(): void {
    if (this.#closing) throw this.#error('CLOSED', `conversation ${this.id}`);
  }

  #error(code: ConversationErrorCode, message: string): ConversationError {
    return new ConversationError(code, message, { conversationId: this.id });
  }
}

function ignore(): void {}
