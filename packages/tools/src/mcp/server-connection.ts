import { abortable, SECRET_MASK } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import type { Confinement, ToolSession } from '@conv/core/tool';
import { SdkError, SdkErrorCode, UrlElicitationRequiredError, type CallToolResult } from '@modelcontextprotocol/client';

import { AbortedTasks } from './aborted-tasks.ts';
import { AskedUser, askingTool, noQuestions, withNotes, type RunningCall } from './asked-user.ts';
import { CallLogin, isLoginNeeded } from './call-login.ts';
import { afterBegin, type Attempt, type CallOutcome } from './call-outcome.ts';
import { CallTime } from './call-time.ts';
import { failureOf, type Failure } from './failure.ts';
import { roundIn } from './input-rounds.ts';
import { listTools, type ListedTool, type ToolList } from './list-tools.ts';
import type { McpServerConfig } from './mcp-config.ts';
import { openServer, type OpenServer } from './open-server.ts';
import { NotAnswered } from './server-fault.ts';
import { ServerLink, type Lease } from './server-link.ts';
import { AskedModel, type ServerSampling } from './sampling.ts';
import type { ServerLogin } from './server-login.ts';
import { settingsFor } from './server-settings.ts';
import { hasBegun, ServerCalls, type BegunWork, type Sending, type ServerCallOptions } from './server-calls.ts';
import { cancelTask, type TaskHandle } from './server-tasks.ts';
import { followTask } from './task-following.ts';

const LONGEST_REASON = 1000;
/** Minimum length of a hidden part of a value; shorter parts reveal nothing. */
const SHORTEST_PART = 8;

/** Options of the connection to one server in one conversation. */
export interface ConnectionOptions {
  readonly platform: Platform;
  readonly name: string;
  readonly config: McpServerConfig;
  readonly session: ToolSession;
  /** Confines the server if it is a process. */
  readonly confinement: Confinement | undefined;
  /** Milliseconds for connecting, the list of tools included. */
  readonly connectTimeout: number;
  /** Milliseconds for one call. */
  readonly callTimeout: number;
  /** Authorizes at the server, if that is its strategy. */
  readonly login: ServerLogin | undefined;
  /** Returns the trace that calls belong to. */
  readonly trace: (() => Readonly<Record<string, string>>) | undefined;
  /** Asks a model for the server. */
  readonly sampling: ServerSampling | undefined;
  /** Called when the tools may have changed: the server said so, or was connected again. Resolves when they were read again. */
  readonly onToolsChanged: () => Promise<void>;
}

type Send = (server: OpenServer, sending: Sending) => Promise<CallToolResult>;

/** A conversation's connection to a server: made on demand, and again at the next call after it was lost. */
export class ServerConnection {
  readonly options: ConnectionOptions;
  readonly #link: ServerLink;
  readonly #user: AskedUser | undefined;
  readonly #model: AskedModel | undefined;
  readonly #calls: ServerCalls;
  readonly #aborted: AbortedTasks;
  readonly #login: CallLogin | undefined;
  #secrets: readonly string[] = [];
  #isClosed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
    const tool = askingTool(options.session);
    this.#user = tool && new AskedUser(options.name, tool, (text) => this.hideTokens(text));
    const { platform, name, config, connectTimeout, callTimeout, login, trace, sampling } = options;
    this.#model = sampling && new AskedModel(sampling);
    this.#login = login && new CallLogin({ platform, name, callTimeout, login, user: this.#user });
    const isProcess = Boolean(config.command);
    this.#calls = new ServerCalls({
      platform,
      name,
      isProcess,
      callTimeout,
      user: this.#user,
      trace,
      model: this.#model,
    });
    this.#link = new ServerLink({ platform, open: (limit) => this.#open(limit), timeout: connectTimeout });
    this.#aborted = new AbortedTasks({ platform, cancel: (id) => this.#cancel(id) });
  }

  /** Connects and lists the tools. Rejects with an error for {@link ServerConnection.explain}, or as the signal. */
  async list(signal: AbortSignal): Promise<ToolList> {
    const { platform, connectTimeout } = this.options;
    using limit = timers.deadline(platform, connectTimeout, { signal });
    try {
      return await abortable(this.#listWith(limit), limit);
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) throw new NotAnswered(connectTimeout);
      if (!this.#login || !isLoginNeeded(error)) throw error;
      return (await abortable(this.#login.list(), signal)) ?? (await abortable(this.#listWith(limit), limit));
    }
  }

  /**
   * Calls a tool. If the server is gone, or does not take the call, it connects again and makes the call once more; a
   * call that may have begun is not repeated. Rejects only with the signal's reason.
   */
  async call(tool: ListedTool, input: Record<string, unknown>, options: ServerCallOptions): Promise<CallOutcome> {
    // of an earlier process, which asked the user between two requests
    const round = roundIn(options.context.handles?.get(options.context.toolCallId));
    if (round && !this.#user) return { kind: 'lost', reason: 'it waits for an answer, and has no user here' };
    await this.#login?.forget(options.context);
    const granted = this.#login?.grantedBy(tool);
    const send: Send = async (server, sending) => {
      if (granted) return granted;
      if (round) return this.#calls.rounds(server, tool, input, sending, round);
      return this.#calls.send(server, tool, input, sending);
    };
    const begun: BegunWork = { hasAsked: round !== undefined, failures: 0, sampled: 0, ...noQuestions() };
    const outcome = await this.#untilAborted(begun, options, () => this.#make(send, begun, options));
    // the model calls the new tools next
    if (granted && outcome.kind === 'result') await abortable(this.options.onToolsChanged(), options.context.signal);
    return outcome;
  }

  /** Asks for the result of a task that an earlier process started. Rejects only with the signal's reason. */
  async resume({ server, id, process }: TaskHandle, options: ServerCallOptions): Promise<CallOutcome> {
    if (server !== this.options.name)
      return { kind: 'lost', reason: `the task belongs to the server ${server}, which has another tool now` };
    if (process) return { kind: 'lost', reason: 'its process has ended with the program, and the task with it' };
    const begun: BegunWork = { task: id, failures: 0, sampled: 0, ...noQuestions() };
    return this.#untilAborted(begun, options, () => this.#follow(id, begun, options));
  }

  /** Describes an error without values of the configuration or of secrets. */
  explain(error: unknown, server?: OpenServer): Failure {
    const failure = failureOf(error);
    if (failure.kind === 'timeout') return failure;
    const end = failure.kind === 'answered' ? undefined : server?.lost();
    const { reason = '', said } = end === undefined ? failure : { reason: end, said: server?.lastWords?.() };
    const words = said?.trim() ? `${reason}. It said last: ${this.hide(said.trim()).slice(-LONGEST_REASON)}` : reason;
    const refused = this.options.confinement?.refusedIn?.(said ?? '', this.options.session.workingDirectory);
    const why = this.hide(words).slice(0, 2 * LONGEST_REASON);
    return {
      kind: failure.kind,
      reason: refused === undefined ? why : `${why.replace(/\.$/, '')}. ${this.hide(refused)}`,
    };
  }

  /** Returns the text without values of the configuration and of secrets. */
  hide(text: string): string {
    const mask = (shown: string): string => this.hideTokens(this.options.session.secrets?.masker.mask(shown) ?? shown);
    // also hide each line of a value, because programs print lines one by one, and the value with its secrets hidden
    const parts = this.#secrets.flatMap((value) => [value, mask(value), ...value.split(/\r?\n/)]);
    const hidden = [...new Set(parts)]
      .filter((part) => part.length >= SHORTEST_PART)
      .sort((one, other) => other.length - one.length)
      .reduce((shown, part) => shown.replaceAll(part, SECRET_MASK), text);
    return mask(hidden);
  }

  /** Returns the text without the tokens of logins, which no masker of the conversation knows. */
  hideTokens(text: string): string {
    // the longest first, because one token may begin with another
    const tokens = (this.options.login?.secrets ?? [])
      .filter(({ length }) => length >= SHORTEST_PART)
      .sort((one, other) => other.length - one.length);
    return tokens.reduce((shown, token) => shown.replaceAll(token, SECRET_MASK), text);
  }

  /** Ends the connection, also if it is still being made. Resolves when nothing of it is left; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#aborted.close();
    await this.#link.close();
    await this.options.login?.close();
  }

  /** Does the work of a call. The task of a call that is aborted is cancelled, or left to the next process. */
  async #untilAborted(
    begun: BegunWork,
    { context }: ServerCallOptions,
    work: () => Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    try {
      return await work();
    } catch (error) {
      if (begun.task !== undefined) this.#aborted.add(begun.task, context);
      throw error;
    }
  }

  /** Makes a call, once more if the server did not take it. A task that it starts is waited for, and never started anew. */
  async #make(send: Send, begun: BegunWork, options: ServerCallOptions): Promise<CallOutcome> {
    let made = await this.#attempt(send, begun, options);
    if (!made.isFinal && !hasBegun(begun)) made = await this.#attempt(send, begun, options);
    if (begun.task !== undefined) return this.#follow(begun.task, begun, options, made);
    return begun.hasAsked ? afterBegin(made.outcome) : made.outcome;
  }

  #follow(id: string, begun: BegunWork, options: ServerCallOptions, made?: Attempt): Promise<CallOutcome> {
    const { platform, config } = this.options;
    const resume: Send = (server, sending) => this.#calls.resume(server, id, sending);
    const ask = (): Promise<Attempt> => this.#attempt(resume, begun, options);
    const isClosed = (): boolean => this.#isClosed;
    return followTask({ platform, isProcess: Boolean(config.command), isClosed, begun, options, ask }, made);
  }

  /** Makes an attempt, and once more after a person has logged in, unless the call has begun meanwhile. */
  async #attempt(send: Send, begun: BegunWork, options: ServerCallOptions): Promise<Attempt> {
    const isFollowing = begun.task !== undefined;
    const made = await this.#once(send, begun, options);
    if (!this.#login || !isLoginNeeded(made.error)) return made;
    const refusal = await this.#login.ask(options.context, begun);
    if (refusal) return { outcome: refusal, isFinal: true };
    return hasBegun(begun) && !isFollowing ? made : this.#once(send, begun, options);
  }

  async #once(send: Send, begun: BegunWork, options: ServerCallOptions): Promise<Attempt> {
    const { signal } = options.context;
    let lease: Lease | undefined;
    let spent = false;
    try {
      signal.throwIfAborted();
      lease = await this.#leaseUntil(signal);
      if (lease.isNew) void this.options.onToolsChanged();
      const result = await abortable(this.#request(lease.server, send, begun, options), signal);
      return { outcome: { kind: 'result', result }, isFinal: true };
    } catch (error) {
      signal.throwIfAborted();
      const outcome = this.explain(error, lease?.server);
      // after a broken connection the session still exists, but not after the server refused it
      spent = outcome.kind === 'refused';
      return { outcome, isFinal: !spent || !lease || lease.isNew, error };
    } finally {
      lease?.release({ spent });
    }
  }

  // a lease that comes after the abort is released again
  async #leaseUntil(signal: AbortSignal): Promise<Lease> {
    const leasing = this.#link.lease();
    try {
      return await abortable(leasing, signal);
    } catch (error) {
      if (signal.aborted)
        leasing.then(
          (lease) => lease.release(),
          () => undefined,
        );
      throw error;
    }
  }

  async #listWith(limit: AbortSignal): Promise<ToolList> {
    const { server, release } = await this.#leaseUntil(limit);
    try {
      const list = await listTools(server.client, { signal: limit, timeout: this.options.connectTimeout });
      this.#login?.listed();
      return list;
    } finally {
      release();
    }
  }

  /** Makes the request within its time. Opens addresses with the user that the server wants opened first, and makes it again. */
  async #request(
    server: OpenServer,
    send: Send,
    begun: BegunWork,
    options: ServerCallOptions,
  ): Promise<CallToolResult> {
    const { platform, callTimeout } = this.options;
    const time = new CallTime(platform, callTimeout);
    const running = this.#user?.begin(options.context, time, begun);
    const sampled = this.#model?.begin({ time, signal: options.context.signal, count: begun });
    const signal = AbortSignal.any([options.context.signal, time.signal]);
    try {
      for (;;) {
        try {
          const result = await send(server, { ...options, begun, signal, time, running, sampled });
          return running ? withNotes(result, running) : result;
        } catch (error) {
          if (time.signal.aborted) throw new SdkError(SdkErrorCode.RequestTimeout, 'the call took too long');
          if (hasBegun(begun) || !(error instanceof UrlElicitationRequiredError)) throw error;
          if (!(await this.#opened(error, running, signal))) throw error;
        }
      }
    } finally {
      time.end();
      running?.end();
      sampled?.end();
    }
  }

  /** Returns true if the user opened all addresses that a server demands. */
  async #opened(
    { elicitations }: UrlElicitationRequiredError,
    running: RunningCall | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const asked of elicitations) {
      const answer = running && (await this.#user?.askFor(running, { ...asked, mode: 'url' }, signal));
      if (answer?.action !== 'accept') return false;
    }
    return elicitations.length > 0;
  }

  /** Cancels a task. Never rejects. */
  async #cancel(id: string): Promise<void> {
    try {
      const { server, release } = await this.#link.lease();
      await cancelTask(server.client, id).finally(release);
    } catch {
      // a server that cannot be reached is not told
    }
  }

  async #open(limit: AbortSignal): Promise<OpenServer> {
    const { platform, config, session, confinement, connectTimeout, onToolsChanged, login } = this.options;
    const masker = session.secrets?.masker;
    const settings = await settingsFor(config, session, limit);
    this.#secrets = settings.secrets;
    return openServer(settings, {
      platform,
      signal: limit,
      timeout: connectTimeout,
      onToolsChanged: () => void onToolsChanged(),
      confinement,
      login,
      user: this.#user,
      sampling: this.#model,
      ...(masker ? { mask: () => masker.stream() } : {}),
    });
  }
}
