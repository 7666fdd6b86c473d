import { ConversationError, type ConversationErrorCode, type MissingSecret } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { conversationRoutes, type Route, type RouteInput } from '@conv/openhands/rest';

import { readAnswer, toServerCall, type CallOptions, type RequestParts, type Told } from './call-route.ts';
import { parseJson, type ServerAnswer, type ServerCall, type ServerClient } from './server-client.ts';

/** The parts of a request to one conversation, without its id. */
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

  /** Returns the server's description of the conversation. */
  async info(): Promise<JsonObject> {
    const info = await this.state(conversationRoutes.get);
    this.learn(info);
    return info;
  }

  /** Keeps the missing secrets that the answer to another request reported. */
  learn({ missing_secrets: missing }: JsonObject): void {
    this.#missingSecrets = Array.isArray(missing) ? missing.flatMap((said) => missingSecretOf(said, this.client)) : [];
  }

  /** Secrets without a value on the server, as it last reported them. */
  get missingSecrets(): readonly MissingSecret[] {
    return this.#missingSecrets;
  }

  /** Calls a route; resolves with its answer. The server may execute the request twice, unless `repeatable` is false. */
  async call<Input extends RouteInput, Answer>(
    route: Route<Input, Answer>,
    parts: Parts<Input> = {},
    options: CallOptions = {},
  ): Promise<Told<Answer>> {
    const call = this.#call(route, parts, options);
    return readAnswer(route, await this.client.send(call), call);
  }

  /** Calls a route and ignores the content of its answer. */
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
    throw this.error(
      'SERVER_FAILED',
      `${call.method} ${call.path}: expected an object as the answer, found something else`,
    );
  }

  /** Changes the title or the tags. */
  async update(body: { readonly title?: string; readonly tags?: Readonly<Record<string, string>> }): Promise<void> {
    const { success } = await this.call(conversationRoutes.update, { body });
    // OpenHands' server answers so for a missing conversation
    if (success === false)
      throw this.error(
        'NOT_FOUND',
        `there is no conversation ${this.id} on the server; check the id, or list the conversations`,
      );
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
