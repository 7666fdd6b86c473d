import {
  checks,
  type Agent,
  type AskResult,
  type CallAnswer,
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
  type SubscriberInput,
  type Subscription,
} from '@conv/core';
import type { Damage } from '@conv/core/store';

import { checkClosing, type CheckedClosing, type CloseOptions } from '../options/close-options.ts';
import { LocalChildren } from '../children/local-children.ts';
import type { Approval, Decision } from '../commands/decisions.ts';
import { startSafeguards, type Safeguards } from '../safeguards/safeguards.ts';
import { watchQuestions } from '../commands/expiry.ts';
import type { LocalGoal } from '../commands/goal.ts';
import type { LocalHistory, LocalForkInput } from '../commands/history.ts';
import { interruptGoal } from '../rules/goal-state.ts';
import { LazySession } from '../run/lazy-session.ts';
import { expirationOf } from '../rules/expired-questions.ts';
import { giveUp } from './give-up.ts';
import { LazyParts } from './lazy-parts.ts';
import { LOCAL_FEATURES } from './local-features.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';
import { toUserMessage } from '../rules/message-queue.ts';
import { Messages } from '../commands/messages.ts';
import { Runs } from '../run/runs.ts';
import type { LocalSettings } from '../commands/settings.ts';
import { askOnTheSide } from '../commands/side-question.ts';
import type { CommandDeps } from '../commands/command-deps.ts';

/** A conversation whose agent runs in this process. Made by `openLocalConversation`. */
export class LocalConversation implements Conversation {
  readonly id: string;
  readonly resumed: boolean;
  readonly features: ConversationFeatures = LOCAL_FEATURES;
  readonly #parts: LocalConversationParts<LocalConversation>;
  readonly #safeguards: Safeguards;
  readonly #deps: CommandDeps;
  readonly #session: LazySession;
  readonly #messages: Messages;
  readonly #children: LocalChildren;
  readonly #runs: Runs;
  readonly #lazy: LazyParts;
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(parts: LocalConversationParts<LocalConversation>) {
    const { state, visualizer, agent, toolSession, approvalTimeout: timeout } = parts;
    this.#parts = parts;
    this.id = state.id;
    this.resumed = parts.resumed;
    const session: CommandDeps['session'] = () => this.#session.get();
    const safeguards = startSafeguards(state, parts, toolSession, session);
    this.#safeguards = safeguards;
    this.#children = new LocalChildren({
      ...parts,
      open: parts.openChild,
      ask: parts.onChildConfirmation,
      safeguards,
      budget: () => this.#runs.active?.budget,
    });
    this.#session = new LazySession(agent, {
      ...toolSession,
      ...(safeguards.secrets ? { secrets: safeguards.secrets } : {}),
      children: this.#children,
      setModel: (model) => this.#lazy.models.set(model),
    });
    this.#deps = {
      state,
      safeguards,
      session,
      running: () => this.#runs.active !== undefined,
      closed: () => this.#closed.signal,
      assertOpen: () => this.#assertOpen(),
      assertFree: () => this.#assertFree(),
    };
    this.#messages = new Messages({
      ...this.#deps,
      agent: () => this.agent,
      asking: () => this.#runs.active?.asking === true,
      change: (work) => this.#runs.change(work),
    });
    const expiration = expirationOf(state.platform, timeout);
    this.#runs = new Runs({
      ...parts,
      session,
      expiration,
      safeguards,
      outerBudget: parts.host?.budget,
      sending: () => this.#messages.sending,
      historyWork: () => this.#lazy.madeHistory?.work,
      endChildren: () => this.#children.end(),
    });
    this.#lazy = new LazyParts({
      shared: this.#deps,
      parts,
      session: this.#session,
      messages: this.#messages,
      runs: this.#runs,
      children: this.#children,
      expiration,
    });
    state.lost.addEventListener('abort', () => this.#lose(), { once: true });
    const decided = (): void => this.#runs.active?.lookAgain();
    watchQuestions({ state, timeout, closed: this.#closed.signal, decided });
    if (!visualizer) return;
    visualizer.initialize?.(state.fields);
    state.subscribe(visualizer);
  }

  get settings(): LocalSettings {
    return this.#lazy.settings;
  }

  get history(): LocalHistory {
    return this.#lazy.history;
  }

  get goal(): LocalGoal {
    return this.#lazy.goal;
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

  /** The agent that answers now. */
  get agent(): Agent {
    return this.#session.agent;
  }

  /** The loop that ended the last run, if it ended `stuck`; `undefined` after a restart. */
  get stuck(): StuckFinding | undefined {
    return this.#runs.last?.stuck;
  }

  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    checks.callOptions('sendMessage', options);
    // looked at inside the commit: a goal may begin meanwhile
    const supersede: typeof interruptGoal = (given) => (this.#lazy.madeGoal?.supersede ?? interruptGoal)(given);
    return this.#messages.sendForCaller(toUserMessage(message, options), supersede);
  }

  /** See `Conversation.run`. A run with `approves: false` that does not begin resolves with the status and 0 iterations. */
  async run(options: RunOptions = {}): Promise<RunResult> {
    checks.callOptions('run', options);
    this.#assertFree();
    return this.#runs.start(options);
  }

  /**
   * True if the log says that a run is active, and this object does not work on it. Its process has ended, its end could not be
   * stored, or it was scheduled and has not begun. After opening with `interruptedRun: 'pause'` and without a scheduled run it is
   * false, unless the store failed.
   */
  get interruptedRun(): boolean {
    return this.#runs.isInterrupted;
  }

  /**
   * Continues an interrupted run as its own process would have: with its limits and counts. Started calls have the result
   * "outcome unknown" (P5). The policy in force decides again on the calls that had not started, as the analyzer rates them now.
   * When a person is to be asked, the status becomes `waiting_for_confirmation`. Approvals for the ended process are forgotten,
   * and continuing approves nothing (P10). Calls that a person approves between the opening and this call are executed.
   *
   * Resolves and rejects as {@link Conversation.run}; with the status and 0 iterations when no run is interrupted. A run that was
   * resumed five times without completing a step and its calls ends in a ConversationErrorEvent with code `RunLost`, so that a
   * run which ends its processes cannot do so forever.
   */
  async resumeRun(options: Omit<RunOptions, 'approves'> = {}): Promise<RunResult> {
    checks.callOptions('run', options);
    this.#assertFree();
    return this.#runs.start(options, true);
  }

  /**
   * Records a run that is going to begin: readers see `running`, and if this process ends before the run begins, another process
   * can resume it with this limit. {@link LocalConversation.run} begins it. Resolves when durable, with true if there is a run
   * to begin. Resolves with false before the first message, when the conversation is finished, and when calls wait for a person,
   * because only `run` itself approves them (P10). Rejects `BUSY` during a run or a goal, and `INVALID_INPUT` for an invalid
   * limit.
   */
  async scheduleRun(options: Pick<RunOptions, 'maxIterations'> = {}): Promise<boolean> {
    checks.callOptions('run', options);
    this.#assertFree();
    return this.#runs.schedule(options);
  }

  /** Pauses a run that was scheduled and has not begun, or was interrupted. Without such a run nothing happens. */
  async cancelScheduledRun(): Promise<void> {
    this.#assertOpen();
    await this.#runs.cancelScheduled();
  }

  async pause(): Promise<void> {
    this.#assertOpen();
    await this.#lazy.madeGoal?.end();
    await this.#runs.pause();
  }

  async interrupt(): Promise<void> {
    this.#assertOpen();
    this.#lazy.interrupt(new DOMException('interrupted', 'AbortError'));
    const run = this.#runs.active;
    run?.interrupt();
    await this.#lazy.madeGoal?.interrupt();
    if (!run) return this.pause();
    await run.done.catch(() => {});
    await this.#children.end();
  }

  /** See `Conversation.approve`. The commit of the decision names who decides. */
  async approve(actionIds?: readonly string[], decision: Approval = {}): Promise<void> {
    this.#assertOpen();
    await this.#lazy.decisions.approve(actionIds, decision);
  }

  /** See `Conversation.reject`. The commit of the decision names who decides. */
  async reject(actionIds?: readonly string[], reason?: string, decision: Decision = {}): Promise<void> {
    this.#assertOpen();
    await this.#lazy.decisions.reject(actionIds, reason, decision);
  }

  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    this.#assertOpen();
    checks.callOptions('answerCall', answer);
    await this.#parts.clientCalls.answer(actionId, answer, this.#runs.active?.done ?? Promise.resolve());
  }

  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#assertOpen();
    checks.callOptions('askAgent', options);
    return askOnTheSide(this.#deps, question, options.signal);
  }

  /**
   * Forks the conversation and opens the fork as this conversation is open: with its agent, store, cipher, hooks, analyzer,
   * client tools and the secrets that were given in this process. Rejects as `history.fork` and as opening a conversation do.
   */
  async fork(options: LocalForkInput = {}): Promise<LocalConversation> {
    const id = await this.history.fork(options);
    const { risks, secrets } = this.#safeguards;
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

  subscribe(subscriber: SubscriberInput, options: SubscribeOptions = {}): Subscription {
    this.#assertOpen();
    checks.callOptions('subscribe', options);
    return this.state.subscribe(subscriber, options);
  }

  /**
   * As {@link Conversation.close}. With `runs: 'leave'` a run is handed over instead of interrupted. It stops where a pause would
   * stop it, at the latest after `grace` milliseconds, and resolves with status `running`, which stays in the log without an
   * event. The process that opens the conversation with `interruptedRun: 'resume'` resumes it. Work that is left then is cancelled
   * without a record, as if the process had ended. A goal ends as interrupted, and child conversations are interrupted. Rejects
   * `INVALID_INPUT` for invalid options and closes nothing then. Only the options of the first call count.
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

  #lose(): void {
    const { lost, id } = this.state;
    this.#runs.active?.interrupt();
    void this.#lazy.madeGoal?.interrupt();
    this.#lazy.interrupt(fromStoreError(lost.reason, id));
  }

  async #close({ runs, grace, beforeLeaving }: CheckedClosing): Promise<void> {
    this.#lazy.interrupt(this.#error('CLOSED', `conversation ${this.id} is closed; open it again`));
    if (runs === 'leave') await this.#runs.leave(grace);
    this.#runs.active?.interrupt();
    await this.#lazy.madeGoal?.interrupt();
    await this.#runs.last?.done.catch(() => {});
    await this.#children.close(this.#error('CLOSED', `conversation ${this.id} is closed; open it again`));
    this.#closed.abort(this.#error('CLOSED', `conversation ${this.id} is closed; open it again`));
    await giveUp(this.#parts, this.#safeguards.hooks, this.#session, beforeLeaving);
  }

  #assertFree(): void {
    this.#assertOpen();
    if (this.#runs.active) throw this.#error('BUSY', `a run of conversation ${this.id} is in progress`);
    if (this.#lazy.madeGoal?.active) throw this.#error('BUSY', `conversation ${this.id} works on a goal`);
  }

  #assertOpen(): void {
    if (this.#closing) throw this.#error('CLOSED', `conversation ${this.id} was closed; open it again with resume`);
  }

  #error(code: ConversationErrorCode, message: string): ConversationError {
    return new ConversationError(code, message, { conversationId: this.id });
  }
}
