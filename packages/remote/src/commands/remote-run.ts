import { checks, type ExecutionStatus, type OptionNames, type RunOptions, type RunResult } from '@conv/core';
import { isEvent, type EventOfKind } from '@conv/core/events';
import { Backoff, type Platform } from '@conv/core/platform';
import { stopReason } from '@conv/openhands/messages';
import { commandRoutes } from '@conv/openhands/rest';

import { checkTime } from '../transport/check-input.ts';
import { ShorterLog } from '../sources/log-changed.ts';
import { failureOf, isTransient } from '../transport/server-failure.ts';
import type { ConversationLink } from './conversation-link.ts';
import { isOfRun, RunEvidence } from './run-evidence.ts';

/** Options to start a run on a server and wait for it. */
export interface RemoteRunOptions extends RunOptions {
  /** True to wait for the end. `false` resolves with status `running` when the server has accepted the run. Default `true`. */
  readonly blocking?: boolean;
  /** Milliseconds between polls of the status, for times when no socket reports it at once. Default 1000. */
  readonly pollInterval?: number;
  /** Milliseconds to wait; then it rejects `TIMEOUT` and the run continues. Default: no limit. */
  readonly timeout?: number;
  /** True to wait for a run that is active already, whatever its limit, instead of rejecting `BUSY`. Default `false`. */
  readonly join?: boolean;
}

/** Names of the options beside those of {@link RunOptions}. */
export const RUN_OPTIONS: OptionNames<Omit<RemoteRunOptions, keyof RunOptions>> = {
  blocking: true,
  pollInterval: true,
  timeout: true,
  join: true,
};

/** Milliseconds to look for an accepted run after the answer to its start was lost. */
const SETTLE = 15_000;

/** Starts a run and waits until REST agrees that it has ended and all of its events are taken in. */
export class RemoteRun {
  readonly #link: ConversationLink;
  readonly #options: RemoteRunOptions;
  readonly #evidence: RunEvidence;
  readonly #from: number;
  readonly #iteration: number;
  readonly #pollInterval: number;
  #bell: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  #ended = false;

  /** `finishedGrace`: milliseconds for which a status that may not be the end must last on a server that may take it back. */
  constructor(link: ConversationLink, options: RemoteRunOptions, finishedGrace: number) {
    this.#link = link;
    this.#options = options;
    if (options.maxIterations !== undefined) {
      checks.maxIterations(options.maxIterations);
      if (!link.capabilities.runLimits)
        throw link.api.error(
          'UNSUPPORTED',
          'expected no limits for a run, because this server has limits only for conversations; set limits when you create the conversation',
        );
    }
    this.#pollInterval = checkTime('pollInterval', options.pollInterval, 1000);
    if (options.timeout !== undefined) checkTime('timeout', options.timeout, 0);
    if (options.join !== undefined && typeof options.join !== 'boolean')
      throw checks.invalid(checks.wrongValue('join', 'true or false', options.join));
    this.#from = link.state.events.length;
    this.#iteration = link.state.iteration;
    this.#evidence = new RunEvidence(link.state, this.#from, finishedGrace, this.#platform.now);
  }

  /** True if this client knows that the run has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Starts the run. Resolves when it has ended, or with `blocking: false` when the server has accepted it. */
  async go(): Promise<RunResult> {
    const { follower, closed } = this.#link;
    const forget = follower.onStatus((status, { whole }) => {
      this.#evidence.published(status, whole);
      this.#bell.resolve();
    });
    const interrupt = (): void => void this.#interrupt().catch(() => this.#bell.resolve());
    const wake = (): void => this.#bell.resolve();
    closed.addEventListener('abort', wake, { once: true });
    try {
      if (!(await this.#start())) return { status: this.#link.state.executionStatus, iterations: 0 };
      this.#options.signal?.addEventListener('abort', interrupt, { once: true });
      if (this.#options.signal?.aborted) interrupt();
      if (this.#options.blocking === false) return { status: 'running', iterations: 0 };
      return await this.#result(await this.#untilEnded());
    } finally {
      this.#ended = true;
      forget();
      closed.removeEventListener('abort', wake);
      this.#options.signal?.removeEventListener('abort', interrupt);
    }
  }

  /** Resolves with false for a run that is to approve nothing, on a server that cannot be told so, while actions wait there. */
  async #start(): Promise<boolean> {
    const { api, capabilities } = this.#link;
    const { maxIterations, approves = true, answers } = this.#options;
    if (!approves && !capabilities.runApprovals && (await this.#isAsked())) return false;
    const limit = maxIterations === undefined ? {} : { max_iterations: maxIterations };
    const { runApprovals: takesMore } = capabilities;
    const asked = { ...(approves ? {} : { approves }), ...(answers === undefined ? {} : { answers }) };
    const body = { ...limit, ...(takesMore ? asked : {}) };
    const how = Object.keys(body).length === 0 ? {} : { body };
    const delays = new Backoff(this.#platform);
    const until = this.#platform.now() + SETTLE;
    for (let lost = false; ;) {
      try {
        await api.send(commandRoutes.run, how, { repeatable: false });
        return true;
      } catch (error) {
        const failure = failureOf(error);
        if (failure?.status === 409 && (lost || this.#options.join)) {
          // a server refuses a second run before the first one has begun
          await this.#sync();
          if (this.#link.state.executionStatus === 'running') this.#evidence.begun();
          return true;
        }
        // only the answer was lost; the status and the log show if the server started the run
        if (!failure?.sent || !isTransient(failure) || this.#platform.now() > until) throw error;
        lost = true;
        await delays.wait({ signal: this.#link.closed });
        if (await this.#wasAccepted()) return true;
      }
    }
  }

  /** True if a run would approve actions: the server asks a person about them, and none was approved by name. */
  async #isAsked(): Promise<boolean> {
    await this.#sync();
    const { executionStatus, pendingActions, calls } = this.#link.state;
    return executionStatus === 'waiting_for_confirmation' && !pendingActions.some(({ id }) => calls[id] === 'approved');
  }

  async #wasAccepted(): Promise<boolean> {
    const { api, state } = this.#link;
    const status = (await api.info())['execution_status'];
    await this.#sync();
    // messages of other clients are no sign of a run
    return status === 'running' || (await state.events.slice(this.#from)).some(isOfRun);
  }

  /** Resolves when all events of the server are known here. A server that shows a shorter log than before gets some time. */
  async #sync(): Promise<void> {
    const delays = new Backoff(this.#platform);
    for (;;) {
      try {
        return await this.#link.follower.sync();
      } catch (error) {
        if (!(error instanceof ShorterLog)) throw error;
        await delays.wait({ signal: this.#link.closed });
      }
    }
  }

  async #untilEnded(): Promise<ExecutionStatus> {
    const { timeout } = this.#options;
    const until = timeout === undefined ? Number.POSITIVE_INFINITY : this.#platform.now() + timeout;
    for (;;) {
      const status = await this.#look();
      if (status !== undefined) return status;
      if (this.#platform.now() >= until)
        throw this.#link.api.error(
          'TIMEOUT',
          `the run of conversation ${this.#link.api.id} did not end in ${timeout} ms; wait again with a longer timeout, or pause it`,
        );
      await this.#rung(Math.min(this.#pollInterval, until - this.#platform.now()));
    }
  }

  /** Returns the final status of the run; `undefined` while it continues or its end is not certain. */
  async #look(): Promise<ExecutionStatus | undefined> {
    const { api, follower, capabilities, closed } = this.#link;
    closed.throwIfAborted();
    if (follower.refused) throw follower.refused;
    try {
      // such a server shows `running` from the moment at which it accepts a run until the run has ended
      if (capabilities.commits && (await api.info())['execution_status'] === 'running') {
        // the commit that the run began with has no event that the socket would bring
        if (this.#link.state.executionStatus !== 'running') await follower.sync();
        return undefined;
      }
      await follower.catchUp();
      return capabilities.commits ? this.#link.state.executionStatus : await this.#evidence.end();
    } catch (error) {
      const failure = failureOf(error);
      closed.throwIfAborted();
      // keep looking: an unreachable server comes back with its run, and so does the end of a log that is not visible yet
      if (error instanceof ShorterLog || (failure && (isTransient(failure) || failure.status === 500)))
        return undefined;
      throw error;
    }
  }

  get #platform(): Platform {
    return this.#link.api.client.platform;
  }

  async #rung(atMost: number): Promise<void> {
    const timer = this.#platform.setTimer(Math.max(1, atMost), () => this.#bell.resolve());
    await this.#bell.promise;
    timer.cancel();
    this.#bell = Promise.withResolvers<void>();
  }

  async #interrupt(): Promise<void> {
    await this.#link.api.send(commandRoutes.interrupt, {}, { timeout: 120_000 });
    this.#bell.resolve();
  }

  async #result(status: ExecutionStatus): Promise<RunResult> {
    const { state, api } = this.#link;
    const result = { status, iterations: Math.max(0, state.iteration - this.#iteration) };
    const failure = status === 'error' || status === 'stuck' ? await this.#failure() : undefined;
    if (!failure) return result;
    const reason = stopReason(status, failure);
    if (reason) return { ...result, reason };
    const cause = Object.assign(new Error(failure.detail), { name: failure.code });
    const where = api.client.connection.address.url;
    const message = `the run of conversation ${api.id}, which is stored on the server ${where}, failed: ${failure.detail}`;
    throw api.error('RUN_FAILED', message, cause);
  }

  /** Returns the failure of the run, without keys: a server may quote a key that it was sent. */
  async #failure(): Promise<Pick<EventOfKind<'ConversationErrorEvent'>, 'code' | 'detail'> | undefined> {
    const events = await this.#link.state.events.slice(this.#from);
    const failure = events.filter((event) => isEvent(event, 'ConversationErrorEvent')).at(-1);
    const { client } = this.#link.api;
    return failure && { code: client.mask(failure.code), detail: client.mask(failure.detail) };
  }
}
