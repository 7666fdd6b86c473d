import {
  checks,
  type Agent,
  type AskResult,
  type CallAnswer,
  type Conversation,
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
import type { Approval, Decision } from '../commands/decisions.ts';
import type { LocalGoal } from '../commands/goal.ts';
import type { LocalHistory, LocalForkInput } from '../commands/history.ts';
import { canForget, compose, follow, lastingParts, type ComposedConversation, type LastingParts } from './compose.ts';
import { giveUp } from './give-up.ts';
import { LOCAL_FEATURES } from './local-features.ts';
import type { LocalConversationParts } from './local-conversation-parts.ts';
import { toUserMessage } from '../rules/message-queue.ts';
import { LocalSettings } from '../commands/settings.ts';
import { askOnTheSide } from '../commands/side-question.ts';

/** A conversation whose agent runs in this process. Made by `openLocalConversation`. */
export class LocalConversation implements Conversation {
  readonly id: string;
  readonly resumed: boolean;
  readonly features: ConversationFeatures = LOCAL_FEATURES;
  readonly #parts: LocalConversationParts<LocalConversation>;
  readonly #lasting: LastingParts;
  /** The other objects; `undefined` while the conversation rests. */
  #made: ComposedConversation | undefined;
  #settings: LocalSettings | undefined;

  constructor(parts: LocalConversationParts<LocalConversation>) {
    const { state, resumed } = parts;
    this.id = state.id;
    this.resumed = resumed;
    this.#parts = parts;
    this.#lasting = lastingParts(parts);
    this.#made = compose(parts, this.#lasting);
    state.lost.addEventListener('abort', () => this.#lose(), { once: true });
    follow(parts, this.#lasting);
  }

  get settings(): LocalSettings {
    const { state } = this.#parts;
    return (this.#settings ??= new LocalSettings(state, this.#lasting, () => this.#composed));
  }

  get history(): LocalHistory {
    return this.#composed.lazy.history;
  }

  get goal(): LocalGoal {
    return this.#composed.lazy.goal;
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
    return this.#lasting.agent.current;
  }

  /** The loop that ended the last run, if it ended `stuck`; `undefined` after a restart. */
  get stuck(): StuckFinding | undefined {
    return this.#lasting.active.last?.stuck;
  }

  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#lasting.lifetime.assertOpen();
    checks.callOptions('sendMessage', options);
    const { goal } = this.#lasting;
    const { messages } = this.#composed;
    // looked at inside the commit: a goal may begin meanwhile
    return messages.sendForCaller(toUserMessage(message, options), (transaction) => goal.supersede(transaction));
  }

  /** See `Conversation.run`. A run with `approves: false` that does not begin resolves with the status and 0 iterations. */
  async run(options: RunOptions = {}): Promise<RunResult> {
    checks.callOptions('run', options);
    this.#lasting.lifetime.assertFree();
    return this.#composed.runs.start(options);
  }

  /**
   * True if the log says that a run is active, and this object does not work on it. Its process has ended, its end could not be
   * stored, or it was scheduled and has not begun. After opening with `interruptedRun: 'pause'` and without a scheduled run it is
   * false, unless the store failed.
   */
  get interruptedRun(): boolean {
    return this.#composed.runs.isInterrupted;
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
    this.#lasting.lifetime.assertFree();
    return this.#composed.runs.start(options, true);
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
    this.#lasting.lifetime.assertFree();
    return this.#composed.runs.schedule(options);
  }

  /** Pauses a run that was scheduled and has not begun, or was interrupted. Without such a run nothing happens. */
  async cancelScheduledRun(): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    await this.#composed.runs.cancelScheduled();
  }

  async pause(): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    await this.#lasting.goal.end();
    await this.#composed.runs.pause();
  }

  async interrupt(): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    const { lazy, children } = this.#composed;
    const { goal, active } = this.#lasting;
    lazy.interrupt(new DOMException('interrupted', 'AbortError'));
    const { run } = active;
    run?.interrupt();
    await goal.interrupt();
    if (!run) return this.pause();
    await run.done.catch(() => {});
    await children.end();
  }

  /** See `Conversation.approve`. The commit of the decision names who decides. */
  async approve(actionIds?: readonly string[], decision: Approval = {}): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    await this.#composed.lazy.decisions.approve(actionIds, decision);
  }

  /** See `Conversation.reject`. The commit of the decision names who decides. */
  async reject(actionIds?: readonly string[], reason?: string, decision: Decision = {}): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    await this.#composed.lazy.decisions.reject(actionIds, reason, decision);
  }

  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    this.#lasting.lifetime.assertOpen();
    checks.callOptions('answerCall', answer);
    await this.#parts.clientCalls.answer(actionId, answer, this.#lasting.active.run?.done ?? Promise.resolve());
  }

  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#lasting.lifetime.assertOpen();
    checks.callOptions('askAgent', options);
    return askOnTheSide(this.#composed.commands, question, options.signal);
  }

  /**
   * Forks the conversation and opens the fork as this conversation is open: with its agent, store, cipher, hooks, analyzer,
   * client tools and the secrets that were given in this process. Rejects as `history.fork` and as opening a conversation do.
   */
  async fork(options: LocalForkInput = {}): Promise<LocalConversation> {
    const id = await this.history.fork(options);
    const { risks, secrets } = this.#lasting;
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
    this.#lasting.lifetime.assertOpen();
    checks.callOptions('subscribe', options);
    return this.state.subscribe(subscriber, options);
  }

  /**
   * Forgets what can be read or made again, such as the newest events. For a conversation that is idle and stays open: its next use reads and makes what it
   * needs. Objects of a conversation whose tools were made, or whose goals or history were used, stay.
   */
  async rest(): Promise<void> {
    await this.state.rest();
    if (this.#made && canForget(this.#parts, this.#lasting, this.#made)) this.#made = undefined;
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
    return this.#lasting.lifetime.close(() => this.#close(closing));
  }

  /** As {@link LocalConversation.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #composed(): ComposedConversation {
    return (this.#made ??= compose(this.#parts, this.#lasting));
  }

  #lose(): void {
    const { lost, id } = this.state;
    const { goal, active } = this.#lasting;
    active.run?.interrupt();
    void goal.interrupt();
    this.#made?.lazy.interrupt(fromStoreError(lost.reason, id));
  }

  async #close({ runs: treatment, grace, beforeLeaving }: CheckedClosing): Promise<void> {
    const { commands, children, runs, lazy } = this.#composed;
    const { safeguards, session } = commands;
    const { active, goal, lifetime } = this.#lasting;
    lazy.interrupt(lifetime.closedError());
    if (treatment === 'leave') await runs.leave(grace);
    active.run?.interrupt();
    await goal.interrupt();
    await active.last?.done.catch(() => {});
    await children.close(lifetime.closedError());
    lifetime.end();
    await giveUp(this.#parts, safeguards.hooks, session, beforeLeaving);
  }
}
