import { ConversationError, type ConversationErrorCode, type MissingSecret } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

import { failureOf } from './server-failure.ts';
import { parseJson, type ServerAnswer, type ServerCall, type ServerClient } from './server-client.ts';

/** How a command is sent. */
export interface Sending {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeout?: number;
  /** Whether it may be carried out twice. Default `true`. */
  readonly repeatable?: boolean;
  /** What statuses mean here. */
  readonly codes?: Readonly<Record<number, ConversationErrorCode>>;
}

/** The routes of one conversation. Rejects as {@link ServerClient.send}. */
export class ConversationApi {
  readonly id: string;
  readonly client: ServerClient;
  readonly #closed: AbortSignal;
  #missingSecrets: readonly MissingSecret[] = [];

  constructor(client: ServerClient, id: string, closed: AbortSignal) {
    this.client = client;
    this.id = id;
    this.#closed = closed;
  }

  /** What the server says of it. */
  async info(): Promise<JsonObject> {
    const info = await this.#object(this.#call('GET', ''));
    this.learn(info);
    return info;
  }

  /** Takes note of what the server said of it when something else was asked. */
  learn({ missing_secrets: missing }: JsonObject): void {
    this.#missingSecrets = Array.isArray(missing) ? missing.flatMap(missingSecretOf) : [];
  }

  /** Secrets without a value there, as the server said last. */
  get missingSecrets(): readonly MissingSecret[] {
    return this.#missingSecrets;
  }

  /** A GET under its path. */
  get(path: string, query: ServerCall['query'] = {}): Promise<JsonObject> {
    return this.#object({ ...this.#call('GET', path), query });
  }

  /** A command; resolves with the answer. */
  async send(path: string, sending: Sending = {}): Promise<JsonObject> {
    return this.#object(this.#command('POST', path, sending), sending.codes);
  }

  /** A command, and whether the answer to an earlier try of it was lost. */
  async sendOnce(path: string, sending: Sending): Promise<Pick<ServerAnswer, 'afterLostAnswer'>> {
    return this.#answer(this.#command('POST', path, sending), sending.codes);
  }

  /** Changes what lists show of it. */
  async patch(json: JsonObject): Promise<void> {
    const answer = await this.#object(this.#command('PATCH', '', { json }));
    // OpenHands' server says so of a conversation that is not there
    if (answer['success'] === false) throw this.error('NOT_FOUND', `there is no conversation ${this.id}`);
  }

  /** An error of this conversation. */
  error(code: ConversationErrorCode, message: string, cause?: unknown): ConversationError {
    return new ConversationError(code, message, { conversationId: this.id, ...(cause === undefined ? {} : { cause }) });
  }

  #call(method: ServerCall['method'], path: string): ServerCall {
    const conversation = { path: `/api/conversations/${this.id}${path}`, conversationId: this.id };
    return { method, ...conversation, signal: this.#closed };
  }

  #command(method: ServerCall['method'], path: string, { signal, ...sending }: Omit<Sending, 'codes'>): ServerCall {
    const signals = signal ? AbortSignal.any([this.#closed, signal]) : this.#closed;
    return { ...this.#call(method, path), repeatable: true, ...sending, signal: signals };
  }

  async #object(call: ServerCall, codes?: Sending['codes']): Promise<JsonObject> {
    const answer = parseJson(await this.#answer(call, codes), call);
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as JsonObject;
    throw this.error('SERVER_FAILED', `${call.method} ${call.path}: the answer is no object`);
  }

  async #answer(call: ServerCall, codes: Sending['codes'] = {}): Promise<ServerAnswer> {
    try {
      return await this.client.send(call);
    } catch (error) {
      const failure = failureOf(error);
      const code = failure?.status === undefined ? undefined : codes[failure.status];
      throw code && failure ? this.error(code, failure.message, failure) : error;
    }
  }
}

function missingSecretOf(said: unknown): readonly MissingSecret[] {
  const { name, reason } = (typeof said === 'object' && said !== null ? said : {}) as JsonObject;
  return typeof name === 'string' && typeof reason === 'string' ? [{ name, reason }] : [];
}
