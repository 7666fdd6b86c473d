import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { chatEndpoint } from './chat-endpoint.ts';
import { openaiErrorBody, type Endpoint } from './endpoint.ts';
import { exchange, type ServerState } from './exchange.ts';
import { Identifiers } from './identifiers.ts';
import { messagesEndpoint } from './messages-endpoint.ts';
import type { ModelRequest } from './model-request.ts';
import { Reply } from './reply.ts';
import { RequestLog } from './request-log.ts';
import { createResponsesEndpoint } from './responses-endpoint.ts';
import type { Violation } from './rules.ts';
import { ScriptReader, type Script, type TurnFunction } from './script.ts';
import { titleAnswers } from './titles.ts';
import { PromptCache } from './token-usage.ts';
import type { Turn } from './turn.ts';

/** Options of {@link createModelServer}. */
export interface ModelServerOptions {
  readonly script: Script;
  /**
   * The turn for a request of an agent for the title of its conversation, which is none of the `requests`; `script`: it is a request like any other.
   * Default: a turn that says the first message of the conversation.
   */
  readonly titles?: 'script' | Turn | TurnFunction;
  /** With it, requests must send it as `Authorization: Bearer` or `x-api-key`; others get a 401. Default: no check. */
  readonly apiKey?: string;
  /** The port. Default 0: any free one. */
  readonly port?: number;
  /** The address to listen on. Default `127.0.0.1`; programs in containers reach others. */
  readonly host?: string;
  /** The models of `GET /v1/models`. Requests may name any model. Default: `['scripted-model']`. */
  readonly models?: readonly string[];
  /** Characters per stream chunk where the script gives a plain string. Default 24. */
  readonly chunkSize?: number;
  /** Put into every id between prefix and number: `'b-'` makes `call_b-1`. Default: empty. */
  readonly idInfix?: string;
  /** Milliseconds since 1970, for `created`. Default `Date.now`. */
  readonly now?: () => number;
  /** Called with each accepted request before its turn is decided. */
  readonly onRequest?: (request: ModelRequest) => void;
  /** Called with each refused request. */
  readonly onViolation?: (violation: Violation) => void;
}

/** A running server. */
export interface ModelServer extends AsyncDisposable {
  /** The base URL clients are configured with: `http://127.0.0.1:PORT/v1`. */
  readonly url: string;
  /** The accepted requests, in the order they arrived. */
  readonly requests: readonly ModelRequest[];
  /** The requests refused with a 400, in order. A test that expects a well-behaved client asserts that it is empty. */
  readonly violations: readonly Violation[];
  /** The turns of a script list that no request has taken yet. */
  readonly remainingTurns: number;
  /**
   * Resolves with the accepted request of this index, at once or when it arrives, before its turn is decided. Rejects
   * when the server closes first.
   */
  request(index: number): Promise<ModelRequest>;
  /** Cuts all connections and frees the port. Repeated calls do nothing more. */
  close(): Promise<void>;
}

/** Starts a scripted model; resolves when it listens, rejects with the error of `listen`. */
export async function createModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const server = new RunningModelServer(options);
  await server.listen(options.port ?? 0);
  return server;
}

class RunningModelServer implements ModelServer {
  readonly violations: Violation[] = [];
  readonly #options: ModelServerOptions;
  readonly #http: Server;
  readonly #log = new RequestLog();
  readonly #script: ScriptReader;
  readonly #state: ServerState;
  readonly #endpoints: readonly Endpoint[] = [chatEndpoint, createResponsesEndpoint(), messagesEndpoint];
  #url = '';
  #closed: Promise<void> | undefined;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#script = new ScriptReader(options.script);
    this.#state = {
      script: this.#script,
      titles: options.titles === 'script' ? undefined : titleAnswers(options.titles),
      ids: new Identifiers(options.idInfix),
      cache: new PromptCache(),
      log: this.#log,
      chunkSize: options.chunkSize ?? 24,
      now: options.now ?? Date.now,
      isClosing: () => this.#closed !== undefined,
      onRequest: options.onRequest ?? (() => undefined),
      onViolation: (violation) => {
        this.violations.push(violation);
        options.onViolation?.(violation);
      },
    };
    this.#http = createServer((message, response) => {
      const reply = new Reply(response);
      this.#route(message, reply)
        .catch((error: unknown) => this.#failed(error, reply))
        .catch(() => reply.cut());
    });
    // a client that sends its next request at the end of this time would find its connection closed
    this.#http.keepAliveTimeout = 600_000;
  }

  get url(): string {
    return this.#url;
  }

  get requests(): readonly ModelRequest[] {
    return this.#log.requests;
  }

  get remainingTurns(): number {
    return this.#script.remaining;
  }

  async listen(port: number): Promise<void> {
    this.#http.listen(port, this.#options.host ?? '127.0.0.1');
    await once(this.#http, 'listening');
    const address = this.#http.address();
    if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
    this.#url = `http://127.0.0.1:${address.port}/v1`;
  }

  request(index: number): Promise<ModelRequest> {
    return this.#log.at(index);
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#log.close();
      this.#http.close(() => resolve());
      this.#http.closeAllConnections();
    });
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #route(message: IncomingMessage, reply: Reply): Promise<void> {
    const { method = 'GET', url = '/' } = message;
    const path = new URL(url, 'http://localhost').pathname;
    const endpoint = this.#endpoints.find((candidate) => candidate.path === path);
    if (!this.#isAuthorised(message)) {
      const error = { status: 401, message: 'incorrect API key provided', code: 'invalid_api_key' };
      await reply.error(endpoint ?? { errorBody: openaiErrorBody }, error);
    } else if (method === 'GET' && path === '/v1/models') await reply.json(200, this.#modelList());
    else if (method === 'POST' && endpoint !== undefined) await exchange(message, endpoint, reply, this.#state);
    else {
      const error = { status: 404, message: `unknown request URL: ${method} ${path}`, code: 'unknown_url' };
      await reply.error({ errorBody: openaiErrorBody }, error);
    }
  }

  #isAuthorised({ headers }: IncomingMessage): boolean {
    const { apiKey } = this.#options;
    return apiKey === undefined || headers.authorization === `Bearer ${apiKey}` || headers['x-api-key'] === apiKey;
  }

  #modelList(): object {
    const created = Math.floor(this.#state.now() / 1000);
    const ids = this.#options.models ?? ['scripted-model'];
    return { object: 'list', data: ids.map((id) => ({ id, object: 'model', created, owned_by: 'script' })) };
  }

  /** A fault of this server itself is told to the client, so that the test at the other end shows it. */
  async #failed(error: unknown, reply: Reply): Promise<void> {
    if (reply.gone.aborted) return;
    if (reply.started) return reply.cut();
    await reply.error({ errorBody: openaiErrorBody }, { status: 500, message: `model server fault: ${String(error)}` });
  }
}
