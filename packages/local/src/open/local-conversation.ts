import {
  type Agent,
  type AgentSession,
  type AskResult,
  type CallAnswer,
  checkCallOptions,
  checkDecision,
  type Conversation,
  ConversationError,
  type ConversationErrorCode,
  type ConversationFeatures,
  type ConversationState,
  type EventsList,
  fromStoreError,
  type MessageInput,
  type RunOptions,
  type RunResult,
  type SendOptions,
  type SentMessage,
  type StuckFinding,
  type SubscribeOptions,
  type Subscriber,
  type Subscription,
} from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Damage } from '@conv/core/store';

import { approveActions, chooseActions, rejectActions } from '../rules/approvals.ts';
import { checkClosing, type CloseOptions } from '../options/close-options.ts';
import { LocalChildren } from '../children/local-children.ts';
import { Condensing } from '../commands/condensing.ts';
import { startControls, type Controls } from '../safeguards/safeguards.ts';
import { LocalGoal, type GoalInput } from '../commands/goal.ts';
import { LocalHistory, type LocalForkInput } from '../commands/history.ts';
import { LazySession } from '../run/lazy-session.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';
import { ModelSwitch } from '../commands/model-switch.ts';
import { appendQueued, toUserMessage } from '../rules/message-queue.ts';
import { Messages } from '../commands/messages.ts';
import { Reruns } from '../commands/reruns.ts';
import { Runs } from '../run/runs.ts';
import { LocalSettings } from '../commands/settings.ts';
import { askOnTheSide } from '../commands/side-question.ts';
import { Titles } from '../commands/titles.ts';

/** A conversation whose agent runs in this process. Made by `openLocalConversation`. */
export class LocalConversation implements Conversation {
  readonly id: string;
  readonly resumed: boolean;
  readonly settings: LocalSettings;
  readonly history: LocalHistory;
  readonly goal: LocalGoal;
  readonly features: ConversationFeatures = { fork: true, commits: true, answerCall: true, rerunActions: true };
  readonly #parts: LocalConversationParts<LocalConversation>;
  readonly #controls: Controls;
  readonly #session: LazySession;
  readonly #messages: Messages;
  readonly #condensing: Condensing;
  readonly #reruns: Reruns;
  readonly #children: LocalChildren;
  readonly #runs: Runs;
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(parts: LocalConversationParts<LocalConversation>) {
    const { state, store, folderOf, visualizer, agent, toolSession } = parts;
    this.#parts = parts;
    this.id = state.id;
    this.resumed = parts.resumed;
    this.#controls = startControls(state, parts, toolSession, () => this.#session.get());
    const { risks, secrets } = this.#controls;
    this.#children = new LocalChildren({
      ...parts,
      open: parts.openChild,
      ask: parts.onChildConfirmation,
      controls: this.#controls,
      budget: () => this.#runs.active?.budget,
    });
    this.#session = new LazySession(agent, {
      ...toolSession,
      ...(secrets ? { secrets } : {}),
      children: this.#children,
      setModel: (model) => models.set(model),
    });
    const models = new ModelSwitch({ state, session: this.#session, vault: parts.vault, cipher: parts.cipher });
    const assertOpen = (): void => this.#assertOpen();
    const running = (): boolean => this.#runs.active !== undefined;
    const session = (): Promise<AgentSession> => this.#session.get();
    this.#messages = new Messages({
      state,
      controls: this.#controls,
      agent: () => this.agent,
      session,
      asking: () => this.#runs.active?.asking === true,
      change: (work) => this.#runs.change(work),
    });
    this.#runs = new Runs({
      ...parts,
      session,
      controls: this.#controls,
      outerBudget: parts.host?.budget,
      sending: () => this.#messages.sending,
      historyWork: () => this.history.work,
      endChildren: () => this.#children.end(),
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

  get damage(): readonly Damage[] {
    return this.#parts.state.damage;
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
    return this.#runs.last?.stuck;
  }

  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    checkCallOptions('sendMessage', options);
    return this.#messages.sendForCaller(toUserMessage(message, options), this.goal.supersede);
  }

  async run(options: RunOptions = {}): Promise<RunResult> {
    checkCallOptions('run', options);
    this.#assertFree();
    return this.#runs.start(options);
  }

  /**
   * The log says that a run is on, and this object does not work on it: its process has ended, it could not store how it ended, or it was
   * announced and is still to begin. Always false when it was opened with `interruptedRun: 'rest'` and announced nothing, but for a
   * store that failed.
   */
  get interruptedRun(): boolean {
    return this.#runs.isInterrupted;
  }

  /**
   * Goes on with an interrupted run as its own process would have: with its limits, and counting on. Calls that had started have the result
   * "outcome unknown" (P5); of those that had not the policy in force decides anew, as the analyzer rates them now, and when a person is to
   * be asked the status becomes `waiting_for_confirmation`: what was approved for the process that ended is forgotten, and nothing is
   * approved by going on (P10). What a person approves between the opening and this is executed.
   *
   * Resolves and rejects as {@link Conversation.run}; with the status and 0 iterations when no run is interrupted. A run that was taken
   * up five times without a step that came to its end, its calls included, ends in a ConversationErrorEvent with code `RunLost`, so that
   * one that ends its processes does not end them all.
   */
  async takeUp(options: RunOptions = {}): Promise<RunResult> {
    checkCallOptions('run', options);
    this.#assertFree();
    return this.#runs.start(options, true);
  }

  /**
   * Says in the log that a run is on which is going to begin: readers see `running`, and when this process ends before it has begun another
   * one can take it up, with this limit. {@link LocalConversation.run} begins it. Resolves when that is durable, with whether there is a
   * run to begin: not before the first message, when the conversation is finished, and when calls wait for a person, which nothing but
   * `run` itself approves (P10). Rejects `BUSY` during a run or a goal, and `INVALID_INPUT` for a limit that is none.
   */
  async announceRun(options: Pick<RunOptions, 'maxIterations'> = {}): Promise<boolean> {
    checkCallOptions('run', options);
    this.#assertFree();
    return this.#runs.announce(options);
  }

  /** Takes back a run that was announced and has not begun, or was interrupted: it is paused. Without one nothing happens. */
  async withdrawRun(): Promise<void> {
    this.#assertOpen();
    await this.#runs.withdraw();
  }

  async pause(): Promise<void> {
    this.#assertOpen();
    await this.goal.end();
    await this.#runs.pause();
  }

  async interrupt(): Promise<void> {
    this.#assertOpen();
    this.#interruptWork(new DOMException('interrupted', 'AbortError'));
    const run = this.#runs.active;
    run?.interrupt();
    await this.goal.interrupt();
    if (!run) return this.pause();
    await run.done.catch(ignore);
    await this.#children.end();
  }

  async approve(actionIds?: readonly string[]): Promise<void> {
    this.#assertOpen();
    checkDecision('approve', actionIds);
    await this.#runs.change((transaction) => approveActions(transaction, chooseActions(transaction, actionIds)));
    this.#runs.active?.lookAgain();
  }

  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    this.#assertOpen();
    checkDecision('reject', actionIds, reason);
    await this.#runs.change(async (transaction) => {
      await rejectActions(transaction, chooseActions(transaction, actionIds), reason);
      await appendQueued(transaction);
    });
    this.#runs.active?.lookAgain();
  }

  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    this.#assertOpen();
    checkCallOptions('answerCall', answer);
    await this.#parts.clientCalls.answer(actionId, answer, this.#runs.active?.done ?? Promise.resolve());
  }

  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#assertOpen();
    checkCallOptions('askAgent', options);
    const signal = AbortSignal.any([this.#closed.signal, ...(options.signal ? [options.signal] : [])]);
    return askOnTheSide({ state: this.state, session: () => this.#session.get() }, question, signal);
  }

  /**
   * Forks the conversation and opens the fork as this one is open: with its agent, store, cipher, hooks, analyzer, client tools and
   * the secrets that were given in this process. Rejects as `history.fork` and as opening a conversation do.
   */
  async fork(options: LocalForkInput = {}): Promise<LocalConversation> {
    const id = await this.history.fork(options);
    const { risks, secrets } = this.#controls;
    const { securityAnalyzer: description } = this.state;
    const own = description === null ? undefined : risks.ownOf(description);
    return this.#parts.openFork(id, {
      agent: this.agent,
      ...(secrets ? { secrets: secrets.given } : {}),
      ...(own ? { securityAnalyzer: own } : {}),
    });
  }

  finalResponse(): Promise<string> {
    return this.state.events.lastAnswer(this.state.leafEventId);
  }

  subscribe(
    subscriber: Subscriber | ((event: Event) => void | Promise<void>),
    options: SubscribeOptions = {},
  ): Subscription {
    this.#assertOpen();
    checkCallOptions('subscribe', options);
    return this.state.subscribe(typeof subscriber === 'function' ? { onEvent: subscriber } : subscriber, options);
  }

  /**
   * As {@link Conversation.close}. With `runs: 'leave'` a run is handed over instead of interrupted: it stops where a pause would stop it, at
   * the latest after `grace` milliseconds, and resolves with status `running`, which stays in the log without an event; whoever opens the
   * conversation with `interruptedRun: 'keep'` takes it up. What still works then is cancelled, and nothing is said of it, as if the
   * process had ended. A goal ends as interrupted, and conversations that work for this one are interrupted. Rejects `INVALID_INPUT`
   * for options that make no sense, and nothing is closed then; only those of the first call count.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const closing = checkClosing(options);
    this.#closing ??= this.#close(closing);
    return this.#closing;
  }

  /** As {@link LocalConversation.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #goalOf(given: Pick<GoalInput, 'session' | 'running' | 'assertOpen'>): LocalGoal {
    return new LocalGoal({
      ...given,
      state: this.state,
      send: (draft, also) => this.#messages.send(draft, also),
      store: (transaction, draft) => this.#messages.add(transaction, draft),
      run: (signal) => this.#runs.start({ signal }),
      pause: () => this.#runs.active?.pause(),
    });
  }

  #interruptWork(reason: unknown): void {
    this.#condensing.interrupt(reason);
    this.#reruns.interrupt(reason);
  }

  #lose(): void {
    const { lost, id } = this.state;
    this.#runs.active?.interrupt();
    void this.goal.interrupt();
    this.#interruptWork(fromStoreError(lost.reason, id));
  }

  async #close({ runs, grace }: Required<CloseOptions>): Promise<void> {
    this.#interruptWork(this.#error('CLOSED', `conversation ${this.id}`));
    if (runs === 'leave') await this.#runs.leave(grace);
    this.#runs.active?.interrupt();
    await this.goal.interrupt();
    await this.#runs.last?.done.catch(ignore);
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
    if (this.#runs.active) throw this.#error('BUSY', `a run of conversation ${this.id} is in progress`);
    if (this.goal.active) throw this.#error('BUSY', `conversation ${this.id} works on a goal`);
  }

  #assertOpen(): void {
    if (this.#closing) throw this.#error('CLOSED', `conversation ${this.id} was closed; open it again with resume`);
  }

  #error(code: ConversationErrorCode, message: string): ConversationError {
    return new ConversationError(code, message, { conversationId: this.id });
  }
}

function ignore(): void {}
