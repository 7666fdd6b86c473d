import {
  checks,
  ConversationError,
  type ApproveOptions,
  type AskResult,
  type CallAnswer,
  type Conversation,
  type ConversationFeatures,
  type ConversationGoal,
  type ConversationHistory,
  type ConversationSettings,
  type ConversationView,
  type EventsList,
  type MessageInput,
  type RunOptions,
  type RunResult,
  type SendOptions,
  type SentMessage,
  type SubscribeOptions,
  type SubscriberInput,
  type Subscription,
} from '@conv/core';
import { Turns, type Platform } from '@conv/core/platform';
import type { Damage } from '@conv/core/store';
import { commandRoutes, eventRoutes, readPart, type Route } from '@conv/openhands/rest';

import { checkRights, type CheckKnown } from '../auth/check-rights.ts';
import type { Caller } from '../auth/principal.ts';
import { runFor, sendFor } from '../conversations/caller-commands.ts';
import type { HostedConversation } from '../hosting/hosted-conversation.ts';
import { OVER } from '../hosting/live-subscription.ts';
import { ApiError } from '../http/api-error.ts';
import { refusalIn } from '../ownership/owner-refusal.ts';
import { isServerClosing } from '../ownership/server-closing-error.ts';
import type { Opened } from './held-conversations.ts';
import { runOutcome, untilRested } from './hosted-run.ts';
import { later } from './later.ts';
import { refusedAsClient } from './refused-as-client.ts';
import { shownTo, ShownState } from './shown-state.ts';

export interface HostedForSenderDeps {
  readonly platform: Platform;
  readonly hosted: HostedConversation;
  /** True if the conversation existed before it was opened. */
  readonly resumed: boolean;
  /** Resolves with the present rights of the sender. Rejects `DENIED` if its key is void now. */
  readonly caller: () => Promise<Caller>;
  readonly checkKnown: CheckKnown;
  /** Opens the conversation as a client of this server: for commands that are not given often. */
  readonly open: () => Promise<Pick<Opened, 'conversation' | 'close'>>;
  /** Receives failures of the server itself. */
  readonly report: (error: unknown) => void;
  /** Gives the conversation back. */
  readonly release: () => void;
}

/** The features of a conversation of this server, as its clients have them. */
const FEATURES: ConversationFeatures = {
  fork: true,
  commits: true,
  answerCall: true,
  rerunActions: false,
  outline: true,
  view: true,
  edits: true,
  wholeDecisions: false,
  keylessForks: false,
};

/**
 * A conversation of this process for one sender. An answer needs no connection: the conversation is read and followed in this process,
 * and messages and runs pass the same checks as their routes. All other commands go through a client of this server, which the first of
 * them opens (decision 169).
 */
export class HostedForSender implements Conversation {
  readonly id: string;
  readonly resumed: boolean;
  readonly state: ConversationView;
  readonly settings: ConversationSettings;
  readonly history: ConversationHistory;
  readonly goal: ConversationGoal;
  readonly features: ConversationFeatures = FEATURES;
  readonly #deps: HostedForSenderDeps;
  readonly #hosted: HostedConversation;
  readonly #closing = new AbortController();
  /** Messages on their way, in the order of their calls. */
  readonly #sending = new Turns();
  #opening: ReturnType<HostedForSenderDeps['open']> | undefined;
  #closed: Promise<void> | undefined;

  constructor(deps: HostedForSenderDeps) {
    const { hosted, resumed } = deps;
    this.#deps = deps;
    this.#hosted = hosted;
    this.id = hosted.id;
    this.resumed = resumed;
    this.state = new ShownState(hosted);
    const { conversation } = hosted;
    this.settings = {
      ...later(async () => (await this.#client()).settings, SETTINGS),
      get secrets() {
        return conversation.settings.secrets;
      },
      get missingSecrets() {
        return conversation.settings.missingSecrets;
      },
    };
    this.history = later(async () => (await this.#client()).history, HISTORY, ['rerunActions', 'replay', 'commits']);
    this.goal = {
      ...later(async () => (await this.#client()).goal, ['pursue', 'resume', 'stop']),
      get status() {
        return conversation.goal.status;
      },
    };
  }

  get events(): EventsList {
    return this.#hosted.events;
  }

  get damage(): readonly Damage[] {
    return this.#hosted.conversation.damage;
  }

  async sendMessage(message: MessageInput, options: SendOptions = {}): Promise<SentMessage> {
    this.#assertOpen();
    checks.callOptions('sendMessage', options);
    const content = checks.messageParts(message);
    const { id = this.#deps.platform.id(), sender } = options;
    const given = { role: 'user', content, run: false, ...(sender === undefined ? {} : { sender }) };
    const send = (): Promise<SentMessage> =>
      this.#refused(async () => {
        const by = await this.#callerOf(eventRoutes.sendMessage);
        return sendFor(this.#hosted, by, bodyOf(eventRoutes.sendMessage, given), id);
      });
    // by its id it is stored once, also if this server has stored it and does not know
    const there = async (): Promise<SentMessage> => (await this.#client()).sendMessage(message, { ...options, id });
    return this.#sending.run(() => this.#hereOr(there, send, 'repeatable'));
  }

  async run(options: RunOptions = {}): Promise<RunResult> {
    this.#assertOpen();
    checks.callOptions('run', options);
    const { maxIterations, approves = true, answers = null, signal } = options;
    if (maxIterations !== undefined) checks.maxIterations(maxIterations);
    return this.#hereOr(
      async () => (await this.#client()).run(options),
      () => this.#run({ max_iterations: maxIterations ?? null, approves, answers }, signal),
    );
  }

  async #run(wanted: Parameters<typeof runFor>[2], signal: AbortSignal | undefined): Promise<RunResult> {
    const before = { events: this.events.length, iteration: this.state.iteration };
    await this.#refused(async () => {
      const by = await this.#callerOf(commandRoutes.run);
      await runFor(this.#hosted, by, wanted, this.#deps.platform);
    });
    const interrupt = (): void => void this.interrupt().catch(this.#deps.report);
    signal?.addEventListener('abort', interrupt, { once: true, signal: this.#closing.signal });
    try {
      if (signal?.aborted) interrupt();
      await untilRested(this.#hosted, this.#closing.signal, () => this.#lost());
      return await runOutcome(this, before);
    } finally {
      signal?.removeEventListener('abort', interrupt);
    }
  }

  async pause(): Promise<void> {
    await (await this.#client()).pause();
  }

  async interrupt(): Promise<void> {
    await (await this.#client()).interrupt();
  }

  async approve(actionIds?: readonly string[], options?: ApproveOptions): Promise<void> {
    await (await this.#client()).approve(actionIds, options);
  }

  async reject(actionIds?: readonly string[], reason?: string): Promise<void> {
    await (await this.#client()).reject(actionIds, reason);
  }

  async answerCall(actionId: string, answer: CallAnswer): Promise<void> {
    await (await this.#client()).answerCall(actionId, answer);
  }

  async askAgent(question: string, options?: { signal?: AbortSignal }): Promise<AskResult> {
    return (await this.#client()).askAgent(question, options);
  }

  async finalResponse(): Promise<string> {
    return (await this.#client()).finalResponse();
  }

  subscribe(subscriber: SubscriberInput, options: SubscribeOptions = {}): Subscription {
    this.#assertOpen();
    checks.callOptions('subscribe', options);
    const left = new AbortController();
    const { signal } = options;
    const over = AbortSignal.any([this.#closing.signal, left.signal, ...(signal ? [signal] : [])]);
    const shown = shownTo(subscriber);
    const subscription = this.#hosted.subscribe(shown, { ...options, signal: over });
    const lost = (): void => {
      shown.onError?.(this.#lost());
      left.abort(OVER);
    };
    const { ended } = this.#hosted;
    ended.addEventListener('abort', lost, { once: true, signal: over });
    if (ended.aborted && !over.aborted) lost();
    return {
      get position() {
        return subscription.position;
      },
      caughtUp: (index) => subscription.caughtUp(index),
      unsubscribe: () => left.abort(OVER),
    };
  }

  /**
   * Gives a command here, or to the owner of the conversation if it is not here any more. A command that fails because another server took the
   * conversation meanwhile is given again only with `repeats`.
   */
  async #hereOr<T>(there: () => Promise<T>, here: () => Promise<T>, repeats?: 'repeatable'): Promise<T> {
    const { ended } = this.#hosted;
    // a closing server takes no request, of its own client either
    if (ended.aborted && !isServerClosing(ended.reason)) return there();
    try {
      return await here();
    } catch (error) {
      if (repeats === undefined || refusalIn(error) === undefined) throw error;
      return there();
    }
  }

  /** Gives the conversation back. Its runs go on. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#closing.abort(this.#error('it was closed'));
    this.#deps.release();
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.close();
  }

  /** Resolves with the conversation as a client of this server has it. */
  async #client(): Promise<Conversation> {
    this.#assertOpen();
    this.#opening ??= this.#deps.open();
    const opening = this.#opening;
    // what failed once is tried again
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return (await opening).conversation;
  }

  /** Resolves with the sender, with its present rights. Rejects `DENIED`, and as the route refuses a caller without its rights. */
  async #callerOf({ scope }: Pick<Route, 'scope'>): Promise<Caller> {
    const caller = await this.#deps.caller();
    await checkRights(caller, { scope, conversationId: this.id }, this.#deps.checkKnown);
    return caller;
  }

  #refused<T>(work: () => Promise<T>): Promise<T> {
    return refusedAsClient(work, { conversationId: this.id, report: this.#deps.report });
  }

  #lost(): ConversationError {
    return this.#error('this server does not hold it any more');
  }

  #assertOpen(): void {
    if (this.#closed) throw this.#error('it was closed');
  }

  #error(why: string): ConversationError {
    return new ConversationError('CLOSED', `conversation ${this.id}: ${why}; open it again`, {
      conversationId: this.id,
    });
  }
}

const SETTINGS = [
  'setConfirmationPolicy',
  'confirmDamage',
  'setSecurityAnalyzer',
  'setLimits',
  'setModel',
  'setStuckDetection',
  'updateSecrets',
  'setTags',
  'setTitle',
  'generateTitle',
] as const satisfies readonly (keyof ConversationSettings)[];

const HISTORY = [
  'fork',
  'navigateTo',
  'condense',
  'at',
  'outline',
  'view',
] as const satisfies readonly (keyof ConversationHistory)[];

/** Returns a body as its route reads it, whose names are known to be right. Throws {@link ApiError} 422 for another one. */
function bodyOf<Body>({ body: schema }: Pick<Route<{ body: Body }>, 'body'>, given: unknown): Body {
  if (!schema) throw new TypeError('expected a route with a body');
  const { data, success } = schema.safeParse(given);
  if (success) return data;
  const read = readPart(schema, given, 'body');
  throw new ApiError(422, read.ok ? 'expected another body' : (read.error.detail as unknown as ApiError['detail']));
}
