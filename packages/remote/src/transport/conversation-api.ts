import { ConversationError, type ConversationErrorCode, type MissingSecret } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { conversationRoutes, type Route, type RouteInput } from '@conv/openhands/rest';

import { readAnswer, toServerCall, type CallOptions, type RequestParts, type Told } from './call-route.ts';
import { parseJson, type ServerAnswer, type ServerCall, type ServerClient } from './server-client.ts';

/** The parts of a request of one conversation: its id is known. */
type Parts<Input extends RouteInput> = Omit<RequestParts<Input>, 'params'>;

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

  /** The conversation as the server describes it. */
  async info(): Promise<JsonObject> {
    const info = await this.state(conversationRoutes.get);
    this.learn(info);
    return info;
  }

  /** Takes note of what the server said of it when something else was asked. */
  learn({ missing_secrets: missing }: JsonObject): void {
    this.#missingSecrets = Array.isArray(missing) ? missing.flatMap((said) => missingSecretOf(said, this.client)) : [];
  }

  /** Secrets without a value there, as the server said last. */
  get missingSecrets(): readonly MissingSecret[] {
    return this.#missingSecrets;
  }

  /** Calls a route; resolves with its answer. What is asked may be carried out twice, unless `repeatable` is false. */
  async call<Input extends RouteInput, Answer>(
    route: Route<Input, Answer>,
    parts: Parts<Input> = {},
    options: CallOptions = {},
  ): Promise<Told<Answer>> {
    const call = this.#call(route, parts, options);
    return readAnswer(route, await this.client.send(call), call);
  }

  /** Calls a route whose answer is not looked at. */
  async send<Input extends RouteInput>(
    route: Route<Input>,
    parts: Parts<Input> = {},
    options: CallOptions = {},
  ): Promise<ServerAnswer> {
    return this.client.send(this.#call(route, parts, options));
  }

  /**
   * Calls a route that answers with the conversation. Resolves with the answer as it came, without the defaults of the route: a member that
   * a server leaves out changes nothing here.
   */
  async state<Input extends RouteInput>(
    route: Route<Input>,
    parts: Parts<Input> = {},
    options: CallOptions = {},
  ): Promise<JsonObject> {
    const call = this.#call(route, parts, options);
    const answer = parseJson(await this.client.send(call), call);
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as JsonObject;
    throw this.error('SERVER_FAILED', `${call.method} ${call.path}: the answer is no object`);
  }

  /** Changes what lists show of it. */
  async update(body: { readonly title?: string; readonly tags?: Readonly<Record<string, string>> }): Promise<void> {
    const { success } = await this.call(conversationRoutes.update, { body });
    // OpenHands' server says so of a conversation that is not there
    if (success === false) throw this.error('NOT_FOUND', `there is no conversation ${this.id}`);
  }

  error(code: ConversationErrorCode, message: string, cause?: unknown): ConversationError {
    return new ConversationError(code, message, { conversationId: this.id, ...(cause === undefined ? {} : { cause }) });
  }

  #call<Input extends RouteInput, Answer>(
    route: Route<Input, Answer>,
    parts: Parts<Input>,
    { signal, ...options }: CallOptions,
  ): ServerCall {
    return toServerCall(
      route,
      { ...parts, params: { conversation_id: this.id } },
      {
        conversationId: this.id,
        repeatable: true,
        ...options,
        signal: signal ? AbortSignal.any([this.#closed, signal]) : this.#closed,
      },
    );
  }
}

function missingSecretOf(said: unknown, client: Pick<ServerClient, 'mask'>): readonly MissingSecret[] {
  const { name, reason } = (typeof said === 'object' && said !== null ? said : {}) as JsonObject;
  return typeof name === 'string' && typeof reason === 'string' ? [{ name, reason: client.mask(reason) }] : [];
}
