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
}

const OPTIONS: OptionNames<DeferredInitOptions> = { key: true, start: true };

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
 * | `initializing` | it cannot     | `dormant`      | 422 or 500; the error is shown  |
 * | `initializing` | a request     | `initializing` | 400                             |
 * | `ready`        | a request     | `ready`        | 400                             |
 *
 * The same object is given to {@link waitingServer} and to the `agentServer` that takes its place.
 */
export class DeferredInit {
  readonly #start: DeferredInitOptions['start'];
  #key: Buffer;
  #status: InitStatus = { state: 'dormant', error: null };

  /** Throws a `TypeError` for a wrong option. */
  constructor(options: DeferredInitOptions) {
    checkOptionNames('DeferredInit', options, OPTIONS);
    const { key, start } = options;
    if (typeof key !== 'string' || key.trim() === '')
      throw new TypeError(checks.wrongValue('DeferredInit: key', 'a key', key));
    if (typeof start !== 'function')
      throw new TypeError(checks.wrongValue('DeferredInit: start', 'a function that starts the server', start));
    this.#key = digest(key);
    this.#start = start;
  }

  get status(): InitStatus {
    return this.#status;
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
      const error = `${cause instanceof Error ? cause.name : 'Error'}: ${errorText(cause)}`;
      this.#status = { state: 'dormant', error };
      if (cause instanceof UnusableInitError) throw new ApiError(422, cause.message, { cause });
      throw new ApiError(500, error, { cause });
    }
  }
}
