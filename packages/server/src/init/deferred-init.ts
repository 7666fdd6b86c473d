import { timingSafeEqual } from 'node:crypto';

import { checkOptionNames, checks, errorText, type OptionNames } from '@conv/core';
import type { RouteTypes, serverRoutes } from '@conv/openhands/rest';

import { digest } from '../auth/key-digests.ts';
import { ApiError } from '../http/api-error.ts';

/** The configuration that a request gives a server which waits for it. */
export type InitRequest = RouteTypes<typeof serverRoutes.initialize>['body'];

/** The state of a server that a request configures. */
export type InitStatus = RouteTypes<typeof serverRoutes.getInitStatus>['answer'];

/** Options of {@link DeferredInit}. */
export interface DeferredInitOptions {
  /** The key that a request shows while the server waits. */
  readonly key: string;
  /**
   * Starts the server with the configuration of a request. Resolves, when it takes requests, with the key that requests to configure it show from then
   * on. Rejects {@link UnusableInitError} for a configuration that its sender can mend; every other rejection is a failure of the server.
   */
  readonly start: (request: InitRequest) => Promise<string>;
  /** Hides secrets in the text of a failure, before it is shown. Must not throw. Default: leaves it as it is. */
  readonly mask?: (text: string) => string;
}

const OPTIONS: OptionNames<DeferredInitOptions> = { key: true, start: true, mask: true };

/** The text for a failure whose reason is not shown, because the key is not. */
const UNTOLD = 'the last request failed; show its X-Init-API-Key to read the reason, or look into the log';

/** Error for a configuration that cannot be used. Its message goes to the client, and must repeat no key. */
export class UnusableInitError extends Error {
  override readonly name = 'UnusableInitError';
}

/**
 * The configuration of a server by a request, at most once.
 *
 * | state          | event         | next           | answer                          |
 * | -------------- | ------------- | -------------- | ------------------------------- |
 * | `dormant`      | a request     | `initializing` | none yet                        |
 * | `initializing` | it started    | `ready`        | the state                       |
 * | `initializing` | it cannot     | `dormant`      | 422 or 500, with the reason     |
 * | `initializing` | a request     | `initializing` | 400                             |
 * | `ready`        | a request     | `ready`        | 400                             |
 *
 * The same object is given to {@link waitingServer} and to the `agentServer` that takes its place.
 */
export class DeferredInit {
  readonly #start: DeferredInitOptions['start'];
  readonly #mask: (text: string) => string;
  #key: Buffer;
  #status: InitStatus = { state: 'dormant', error: null };

  /** Throws a `TypeError` for a wrong option. */
  constructor(options: DeferredInitOptions) {
    checkOptionNames('DeferredInit', options, OPTIONS);
    const { key, start, mask = (text) => text } = options;
    if (typeof key !== 'string' || key.trim() === '')
      throw new TypeError(checks.wrongValue('DeferredInit: key', 'a key', key));
    if (typeof start !== 'function')
      throw new TypeError(checks.wrongValue('DeferredInit: start', 'a function that starts the server', start));
    if (typeof mask !== 'function')
      throw new TypeError(checks.wrongValue('DeferredInit: mask', 'a function that hides secrets in a text', mask));
    this.#key = digest(key);
    this.#start = start;
    this.#mask = mask;
  }

  /** The state, with the reason of the last failure. It may name folders and users, so show it with the key only. */
  get status(): InitStatus {
    return this.#status;
  }

  /** The state for clients without a key: says that the last request failed, but not why. */
  get publicStatus(): InitStatus {
    const { state, error } = this.#status;
    return { state, error: error === null ? null : UNTOLD };
  }

  /** True for the key that requests to configure the server show. */
  accepts(key: string): boolean {
    return timingSafeEqual(digest(key), this.#key);
  }

  /** Resolves when the server takes requests. Rejects an error with the status 400 unless the server waits, 422 for a configuration that cannot be used, 500 if it cannot start. */
  async initialize(request: InitRequest): Promise<InitStatus> {
    if (this.#status.state !== 'dormant') throw new ApiError(400, `server already in state: ${this.#status.state}`);
    if (request.session_api_keys?.includes('')) throw new ApiError(422, 'session_api_keys cannot contain empty keys');
    this.#status = { state: 'initializing', error: null };
    try {
      this.#key = digest(await this.#start(request));
      this.#status = { state: 'ready', error: null };
      return this.#status;
    } catch (cause) {
      const error = this.#mask(`${cause instanceof Error ? cause.name : 'Error'}: ${errorText(cause)}`);
      this.#status = { state: 'dormant', error };
      if (cause instanceof UnusableInitError) throw new ApiError(422, this.#mask(cause.message), { cause });
      throw new ApiError(500, error, { cause });
    }
  }
}
