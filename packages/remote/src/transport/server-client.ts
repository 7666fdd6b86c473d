import { type ConversationErrorCode, errorText } from '@conv/core';
import { timers, warn, Backoff, type BackoffOptions, type Platform } from '@conv/core/platform';
import { NOT_BEGUN_HEADER, type Route } from '@conv/openhands/rest';
import type { Dispatcher } from 'undici';

import { HttpClient, wasSent } from './http.ts';
import type { FormFile, HttpAnswer } from './http-messages.ts';
import type { Query, ServerAddress } from './server-address.ts';
import { SentSecrets } from './sent-secrets.ts';
import { notAgentServer, strangeRefusal, typeOf } from './not-agent-server.ts';
import { detailOf, isTransient, ServerFailure, toConversationError } from './server-failure.ts';

/** Address of a server, and the settings to reach it with. */
export interface ServerConnection {
  readonly platform: Platform;
  readonly address: ServerAddress;
  /** Sent with each request; they include the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Dispatcher, which the caller closes. Default: this client makes its own. */
  readonly dispatcher: Dispatcher | undefined;
  /** Certificates, PEM, of the authorities to trust instead of the usual ones. */
  readonly ca: string | readonly string[] | undefined;
}

/** Timeouts and retries of a client. Milliseconds. */
export interface RequestOptions {
  /** Time until an answer must begin. Default 60 s. */
  readonly answerTimeout?: number;
  /** Time for which a repeatable request is retried while the server does not answer. Default 15 s. */
  readonly requestTimeout?: number;
  readonly backoff?: BackoffOptions;
  /**
   * Called before each wait for a server that does not answer, and when an answer is late: not there after 5 s. Requests that take
   * longer by nature, such as questions to the model, are never late. Errors that it throws are ignored. Default: a process warning
   * (`ServerWarning`) at the third wait, and when an answer is late, once until the server answers again.
   */
  readonly onRetry?: (retry: ServerRetry) => void;
  /** Called with the first answer after `onRetry`, whichever request gets it. Errors that it throws are ignored. Default: none. */
  readonly onRecovered?: () => void;
}

/** A request that is about to be retried, or whose answer is late. */
export interface ServerRetry {
  /** Method, address and what went wrong, without keys. */
  readonly message: string;
  /** Attempts so far. */
  readonly attempt: number;
  /** Milliseconds until the next attempt; for a late answer, the milliseconds that this attempt still waits. */
  readonly delay: number;
  /** Milliseconds until the request is given up. */
  readonly left: number;
}

/** Milliseconds after which an answer is late: a server that is stopped keeps its connections and says nothing. */
const LATE = 5_000;

/** The attempt whose failure leads to a warning. A connection that broke once does not. */
const WARNED_ATTEMPT = 3;

export interface ServerCall {
  readonly method: Route['method'];
  readonly path: string;
  readonly query?: Query;
  readonly json?: unknown;
  readonly form?: FormFile | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the answer must begin, for requests that take longer than usual. */
  readonly timeout?: number;
  /** True if the request may be made twice. Default: true for GET. A request that the server cannot have begun is always tried again. */
  readonly repeatable?: boolean;
  /** Statuses that are answers of this request instead of failures. */
  readonly expect?: readonly number[];
  /** True for a call that asks if the server is there: no answer then leads to no warning. */
  readonly quiet?: boolean;
  /** Error codes that statuses mean here. */
  readonly codes?: Readonly<Record<number, ConversationErrorCode>>;
  readonly conversationId?: string;
  /** Bytes after which the answer is given up. Default: no limit. */
  readonly mostBytes?: number;
  /** Gets the bytes of the answer as they arrive, beside the whole answer at its end. */
  readonly onData?: ((bytes: Uint8Array) => void) | undefined;
}

/** Answer of a server. */
export interface ServerAnswer {
  readonly status: number;
  /** Text; see {@link ServerClient.json} for what most routes answer. */
  readonly body: Uint8Array;
  /** True if the answer to an earlier attempt was lost, so the server may have executed the request before. */
  readonly afterLostAnswer: boolean;
  /** Describes what was found instead of JSON. */
  readonly otherwise?: string;
}

/**
 * Answers of a server. `answering`: the last request got one. `missed`: an answer is missing or late, and no warning has said so yet. `warned`: a warning
 * has. An answer ends both.
 */
type Reach = 'answering' | 'missed' | 'warned';

/** The answer to one attempt. */
type OneAnswer = Omit<ServerAnswer, 'afterLostAnswer'>;

/**
 * Sends requests to a server. Rejects with a `ConversationError` whose `cause` is a {@link ServerFailure}: `DENIED`, `NOT_FOUND`,
 * `BUSY`, `INVALID_INPUT` and `SERVER_FAILED` by status, `UNREACHABLE` when there was no answer; an abort with `signal.reason`.
 */
export class ServerClient {
  readonly connection: ServerConnection;
  readonly #requests: RequestOptions;
  readonly #http: HttpClient;
  readonly #secrets = new SentSecrets();
  #reach: Reach = 'answering';

  constructor(connection: ServerConnection, requests: RequestOptions = {}) {
    this.connection = connection;
    this.#requests = requests;
    this.#http = new HttpClient(connection);
    this.#secrets.learn({ headers: connection.headers });
  }

  /** Clock, timers and ids for all users of this client. */
  get platform(): Platform {
    return this.connection.platform;
  }

  /** Returns a text of the server without the secrets that it was sent. */
  mask(text: string): string {
    return this.#secrets.mask(text);
  }

  /** Resolves with the JSON of an answer. Rejects as {@link ServerClient.send}, and `SERVER_FAILED` if the answer is no JSON. */
  async json(call: ServerCall): Promise<unknown> {
    return parseJson(await this.send(call), call);
  }

  /** Resolves with the answer to a request, which is retried after transient failures. */
  async send(call: ServerCall): Promise<ServerAnswer> {
    const { requestTimeout = 15_000, backoff } = this.#requests;
    const { platform } = this;
    const delays = new Backoff(platform, backoff);
    const until = platform.now() + requestTimeout;
    const repeatable = call.repeatable ?? call.method === 'GET';
    let afterLostAnswer = false;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#watched(call, attempt, until);
      if (!(answer instanceof ServerFailure) || !isTransient(answer)) this.#answered();
      if (!(answer instanceof ServerFailure)) return { ...answer, afterLostAnswer };
      const delay = delays.next();
      const again = isTransient(answer) && (repeatable || !answer.sent) && platform.now() + delay < until;
      if (!again) throw toConversationError(answer, call.conversationId, call.codes);
      if (answer.sent && answer.status === undefined) afterLostAnswer = true;
      this.#missed(call, { message: answer.message, attempt, delay, left: until - platform.now() });
      await timers.sleep(platform, delay, { signal: call.signal });
    }
  }

  /** Closes the connections that this client made. */
  async close(): Promise<void> {
    await this.#http.close();
  }

  #missed({ quiet = false }: ServerCall, retry: ServerRetry, isLate = false): void {
    if (this.#reach === 'answering') this.#reach = 'missed';
    const { onRetry } = this.#requests;
    if (onRetry) tell(() => onRetry(retry));
    else if (!quiet && this.#reach === 'missed' && (isLate || retry.attempt >= WARNED_ATTEMPT)) {
      this.#reach = 'warned';
      warn(`${retry.message}; waiting for up to ${Math.ceil(retry.left / 1000)} s more`, 'ServerWarning');
    }
  }

  #answered(): void {
    if (this.#reach === 'answering') return;
    this.#reach = 'answering';
    tell(() => this.#requests.onRecovered?.());
  }

  /** Makes the request once, and reports when its answer is late. The request itself continues. */
  async #watched(call: ServerCall, attempt: number, until: number): Promise<OneAnswer | ServerFailure> {
    if (call.timeout !== undefined) return this.#once(call);
    const { platform } = this;
    const late = platform.setTimer(LATE, () => {
      const delay = Math.max(0, this.#answerTimeout - LATE);
      const message = `${this.#nameOf(call)}: no answer for ${LATE / 1000} s`;
      this.#missed(call, { message, attempt, delay, left: Math.max(delay, until - platform.now()) }, true);
    });
    try {
      return await this.#once(call);
    } finally {
      late.cancel();
    }
  }

  get #answerTimeout(): number {
    return this.#requests.answerTimeout ?? 60_000;
  }

  #nameOf({ method, path }: ServerCall): string {
    return `${method} ${this.connection.address.url}${path}`;
  }

  async #once(call: ServerCall): Promise<OneAnswer | ServerFailure> {
    call.signal?.throwIfAborted();
    this.#secrets.learn({ ...(call.json as object | undefined), headers: call.headers });
    const what = this.#nameOf(call);
    try {
      const answer = await this.#request(call);
      const { status, header, body } = answer;
      const { url } = this.connection.address;
      if ((status >= 200 && status < 300) || call.expect?.includes(status))
        return { status, body, otherwise: notAgentServer(url, typeOf(header)) };
      const detail = detailOf(new TextDecoder().decode(body), (text) => this.mask(text));
      const found = strangeRefusal(answer, detail, call.conversationId !== undefined);
      const explained = found === undefined ? '' : `; ${notAgentServer(url, found)}`;
      return new ServerFailure(`${what}: ${status}${detail === '' ? '' : ` ${detail}`}${explained}`, {
        status,
        detail,
        sent: header(NOT_BEGUN_HEADER.toLowerCase()) === undefined,
      });
    } catch (error) {
      // an abort passes through as it is
      call.signal?.throwIfAborted();
      const message = this.mask(errorText(error));
      return new ServerFailure(`${what}: ${message || 'no answer'}`, { sent: wasSent(error) }, { cause: error });
    }
  }

  #request({
    method,
    path,
    query,
    json,
    form,
    headers,
    signal,
    timeout,
    mostBytes,
    onData,
  }: ServerCall): Promise<HttpAnswer> {
    const { address, headers: always } = this.connection;
    return this.#http.send({
      url: address.http(path, query),
      method,
      headers: { ...always, ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      body: json === undefined ? form : JSON.stringify(json),
      signal,
      answerTimeout: timeout ?? this.#answerTimeout,
      mostBytes,
      onData,
    });
  }
}

/** Returns the JSON of an answer. Throws `SERVER_FAILED` if it has none. */
export function parseJson(
  { status, body, otherwise = 'expected JSON' }: Pick<ServerAnswer, 'status' | 'body' | 'otherwise'>,
  call: ServerCall,
): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    const about = { status, sent: true, detail: 'no JSON' };
    // without the parser's error, which quotes the text
    const failure = new ServerFailure(`${call.method} ${call.path}: ${status} without JSON; ${otherwise}`, about);
    throw toConversationError(failure, call.conversationId);
  }
}

function tell(callback: () => void): void {
  try {
    callback();
  } catch {
    // a callback must not be able to fail the request
  }
}
