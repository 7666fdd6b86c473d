import {
  type ApproveOptions,
  isConversationError,
  checks,
  type AskResult,
  type CallAnswer,
  type Conversation,
  type ConversationError,
  type ConversationErrorCode,
  type ConversationFeatures,
  type ConversationView,
  type EventsList,
  type MessageInput,
  type RunResult,
  type SendOptions,
  type SentMessage,
  type SubscribeOptions,
  type SubscriberInput,
  type Subscription,
  type Visualizer,
} from '@conv/core';
import type { ContentPart, JsonObject } from '@conv/core/events';
import { Turns } from '@conv/core/platform';
import type { CallRecord, Damage } from '@conv/core/store';
import type { Tool } from '@conv/core/tool';
import { commandRoutes, eventRoutes, type ConversationParams, type Route } from '@conv/openhands/rest';

import { CallCarrier } from './commands/own-tool-calls.ts';
import { Approving } from './commands/approvals.ts';
import type { ConversationLink } from './commands/conversation-link.ts';
import { type KnownModel, ModelSwitch } from './commands/model-switch.ts';
import { RemoteGoal } from './commands/remote-goal.ts';
import { RemoteHistory } from './commands/remote-history.ts';
import { RemoteRun, type RemoteRunOptions, RUN_OPTIONS } from './commands/remote-run.ts';
import { type OpenedWith, RemoteSettings } from './commands/remote-settings.ts';
import { Sending } from './commands/message-sender.ts';

export interface RemoteConversationDeps extends ConversationLink, OpenedWith, KnownModel {
  /** True if the conversation was on the server before. */
  readonly resumed: boolean;
  /** Tools of the agent that this process executes. */
  readonly own: readonly Tool[];
  readonly visualizer: Visualizer | undefined;
  /** Milliseconds. */
  readonly subscriberGrace: number;
  /** Milliseconds. */
  readonly finishedGrace: number;
  /** Ends everything that this conversation does here: aborts `closed`. */
  readonly closing: AbortController;
}

/** Milliseconds that a model may take to answer. */
const MODEL_TIMEOUT = 600_000;

/** A conversation that an agent server holds. Made by `openRemoteConversation`. */
export class RemoteConversation implements Conversation {
  readonly id: string;
  readonly resumed: boolean;
  readonly settings: RemoteSettings;
  readonly history: RemoteHistory;
  readonly goal: RemoteGoal;
  readonly features: ConversationFeatures;
  readonly #deps: RemoteConversationDeps;
  readonly #carrier: CallCarrier;
  /** Answers on their way, by call. */
  readonly #answers = new Turns();
  readonly #sending: Sending;
  readonly #approving: Approving;
  #run: RemoteRun | undefined;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(deps: RemoteConversationDeps) {
    const { api, state, capabilities, commits, visualizer } = deps;
    this.#deps = deps;
    this.id = api.id;
    this.resumed = deps.resumed;
    const models = new ModelSwitch(deps, deps);
    this.features = {
      fork: true,
      commits: commits !== undefined,
      answerCall: capabilities.callAnswers,
      rerunActions: false,
      outline: capabilities.outline,
      view: capabilities.view && commits !== undefined,
      edits: capabilities.approvalEdits,
      wholeDecisions: !capabilities.approvals,
      get keylessForks(): boolean {
        return models.losesKeys;
      },
    };
    this.settings = new RemoteSettings(deps, deps, models, (question, options) => this.askAgent(question, options));
    this.goal = new RemoteGoal(deps);
    this.history = new RemoteHistory(deps, models);
    this.#approving = new Approving(deps);
    this.#sending = new Sending(deps, this.#approving);
    this.#carrier = new CallCarrier(deps, deps.own, (actionId, answer) => this.answerCall(actionId, answer));
    if (!visualizer) return;
    visualizer.initialize?.(state.fields);
    state.subscribe(visualizer);
  }

  /** The known state: complete after each command, otherwise as new as the server's last message. */
  get state(): ConversationView {
    return this.#deps.state.view;
  }

  get damage(): readonly Damage[] {
    return this.#deps.state.damage;
  }

  get events(): EventsList {
    return this.#deps.state.events;
  }

  /** See `Conversation.sendMessage`. A lost answer neither loses nor doubles a message. */
  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    checks.callOptions('sendMessage', options);
    return this.#sending.send(message, options);
  }

  /**
   * Starts a run on the server, and resolves when it has ended and all its events were read. See `Conversation.run`; a server that
   * is unreachable for a while does not end it. Rejects `TIMEOUT` after `timeout`, `UNSUPPORTED` for `maxIterations` on a server
   * without it, and with errors that no retry can mend.
   */
  async run(options: RemoteRunOptions = {}): Promise<RunResult> {
    this.#assertOpen();
    checks.callOptions('run', options, RUN_OPTIONS);
    if (this.#run?.ended === false)
      throw this.#error('BUSY', `a run of conversation ${this.id} is in progress; wait for its end`);
    const { state, subscriberGrace } = this.#deps;
    const { inherits } = this.#approving;
    const from = state.events.length;
    let goesOn = false;
    try {
      const result = await this.#runOnce(options).catch(async (error: unknown) => {
        if (!inherits || !isConversationError(error, 'RUN_FAILED') || (await this.#approving.isAnswered(from)))
          throw error;
        await this.#approving.readAnew();
        return await this.#runOnce(options);
      });
      goesOn = options.blocking === false;
      return result;
    } finally {
      if (!goesOn) this.#carrier.end(new Error('the run has ended'));
      await state.delivered(subscriberGrace);
    }
  }

  async #runOnce(options: RemoteRunOptions): Promise<RunResult> {
    const run = new RemoteRun(this.#deps, options, this.#deps.finishedGrace);
    this.#run = run;
    await this.#carrier.begin();
    return await run.go();
  }

  async pause(): Promise<void> {
    await this.#command(commandRoutes.pause);
  }

  async interrupt(): Promise<void> {
    await this.#command(commandRoutes.interrupt, MODEL_TIMEOUT);
  }

  /** See `Conversation.approve`. Rejects `UNSUPPORTED` for some of several on a server that knows all or nothing. */
  async approve(actionIds?: readonly string[], options: ApproveOptions = {}): Promise<void> {
    this.#assertOpen();
    checks.decision('approve', actionIds);
    checks.callOptions('approve', options);
    checks.edits(options.edits);
    await this.#approving.approve(actionIds, options.edits);
  }

  /** See `Conversation.reject`. Rejects `UNSUPPORTED` for some of several on a server that knows all or nothing. */
  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    this.#assertOpen();
    checks.decision('reject', actionIds, reason);
    await this.#approving.reject(actionIds, reason);
  }

  /** See `Conversation.askAgent`. The cost is 0 if the server does not report it. */
  async askAgent(question: string, options: { signal?: AbortSignal } = {}): Promise<AskResult> {
    this.#assertOpen();
    checks.callOptions('askAgent', options);
    if (typeof question !== 'string' || question.trim() === '')
      throw this.#error('INVALID_INPUT', 'a question must be text that is not blank');
    const { api } = this.#deps;
    const sending = { timeout: MODEL_TIMEOUT, repeatable: false, signal: options.signal };
    const { response, record } = await api.call(commandRoutes.askAgent, { body: { question } }, sending);
    if (response === undefined)
      throw this.#error('SERVER_FAILED', 'expected a text as the answer to the question, found none');
    return { text: response, record: recordOf(record) };
  }

  /** See `Conversation.answerCall`. Rejects `UNSUPPORTED` on a server that has no such route. */
  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    this.#assertOpen();
    checks.callOptions('answerCall', answer);
    const { content, isError = false } = answer;
    if (!this.#deps.capabilities.callAnswers)
      throw this.#error(
        'UNSUPPORTED',
        'this server does not let clients answer calls; reject the call, or use a server of @conv/agent-server',
      );
    const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const body = { action_id: actionId, content: parts, is_error: isError };
    // of two answers to one call the first counts, and concurrent requests may overtake each other
    await this.#answers.run(() => this.#deps.api.call(eventRoutes.answerCall, { body }), actionId);
    await this.#deps.follower.sync();
  }

  async finalResponse(): Promise<string> {
    const { response = '' } = await this.#deps.api.call(commandRoutes.getFinalResponse);
    return response;
  }

  subscribe(subscriber: SubscriberInput, options: SubscribeOptions = {}): Subscription {
    this.#assertOpen();
    checks.callOptions('subscribe', options);
    return this.#deps.state.subscribe(subscriber, options);
  }

  /**
   * Stops following the conversation. Runs continue on the server, and nothing is deleted. A pending `run` rejects `CLOSED`.
   * Idempotent.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** As {@link RemoteConversation.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #command(route: Route<{ params: ConversationParams }>, timeout?: number): Promise<void> {
    this.#assertOpen();
    await this.#deps.api.call(route, {}, timeout === undefined ? {} : { timeout });
    await this.#deps.follower.catchUp();
  }

  async #close(): Promise<void> {
    const { state, visualizer, subscriberGrace, closing, api } = this.#deps;
    this.#carrier.end(this.#error('CLOSED', `conversation ${this.id} is closed; open it again`));
    closing.abort(this.#error('CLOSED', `conversation ${this.id} is closed; open it again`));
    await state.delivered(subscriberGrace);
    state.close();
    await visualizer?.close?.();
    await api.client.close();
  }

  #assertOpen(): void {
    if (this.#closed) throw this.#error('CLOSED', `conversation ${this.id} was closed; open it again with resume`);
    const { changed } = this.#deps.follower;
    if (changed) throw changed;
  }

  #error(code: ConversationErrorCode, message: string): ConversationError {
    return this.#deps.api.error(code, message);
  }
}

const UNKNOWN_COST: CallRecord = {
  kind: 'model_call',
  usageId: 'ask',
  model: '',
  cost: 0,
  promptTokens: 0,
  completionTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  contextWindow: 0,
  latency: 0,
  responseId: '',
  timestamp: 0,
};

function recordOf(record: unknown): CallRecord {
  return typeof record === 'object' && record !== null ? { ...UNKNOWN_COST, ...(record as JsonObject) } : UNKNOWN_COST;
}
