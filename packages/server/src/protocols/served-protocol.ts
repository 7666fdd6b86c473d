import { checkOptionNames, checks, type Conversation, type OptionNames } from '@conv/core';
import type { ClientToolInput } from '@conv/core/tool';
import type { ConversationPage } from '@conv/turns';

/** A handler of an adapter, such as `createOpenAIHandler` of `@conv/openai` makes. */
export type ProtocolHandler = (request: Request) => Promise<Response>;

/** The wishes of a request that begins a conversation. Everything else is as in the settings that clients have stored on the server. */
export interface WantedConversation {
  /** A UUID. A conversation with this id is opened instead, so that a repeated request begins nothing. Default: a new one. */
  readonly id?: string | undefined;
  /** `conversation`, or `openhands_` and the name of a stored model. Default `conversation`: the model of the settings. */
  readonly model?: string | undefined;
  /** Stands behind the prompt of the agent. */
  readonly instructions?: string | undefined;
  /** Tools of the client, which answers their calls. */
  readonly clientTools?: readonly ClientToolInput[] | undefined;
}

/**
 * Conversations of a server for handlers of protocols, each with the rights of the sender of a request: its scopes, limits and daily limits.
 * `request` is the request that the handler got, or a copy with its headers. All functions reject `ConversationError`.
 */
export interface CallerConversations {
  /**
   * Opens a conversation, with all that the server has of it at the time of the call. The server closes it some time after the answers to its last
   * requests. Rejects `NOT_FOUND` also for a conversation that the sender may not know.
   */
  readonly open: (id: string, request: Request | undefined) => Promise<Conversation>;
  /**
   * Makes a conversation by the stored settings, or opens the one with the id. For a sender that may not approve, the conversation
   * asks a person about each action. Rejects `INVALID_INPUT` for an unknown model, and for an id that is no UUID; `DENIED` without the scope run.
   */
  readonly create: (wanted: WantedConversation, request: Request | undefined) => Promise<Conversation>;
  /** Lists the conversations that the sender may know, the last changed first, from the beginning or behind `next` of a page. */
  readonly list: (cursor: string | undefined, request: Request | undefined) => Promise<ConversationPage>;
  /** Resolves with the names for `model` of {@link WantedConversation}. */
  readonly models: () => Promise<readonly string[]>;
}

/** A protocol that the server speaks beside its own routes, with the same keys, by the handler of an adapter. */
export interface ServedProtocol {
  /** The name among `protocols` of `/server_info`. */
  readonly name: string;
  /** Paths below the server, in Fastify's form: `/v1/*`. Requests need a key with the scope read, and more by what they do. */
  readonly paths: readonly string[];
  /** Further paths, which everybody may read without a key, such as that of an agent's card. Default: none. */
  readonly openPaths?: readonly string[];
  /** Makes the handler, before the first request. */
  readonly handler: (conversations: CallerConversations) => ProtocolHandler | Promise<ProtocolHandler>;
  /** Called when the server closes, if there is a handler. */
  readonly close?: () => Promise<void>;
}

const NAMES: OptionNames<ServedProtocol> = { name: true, paths: true, openPaths: true, handler: true, close: true };

/** Checks protocols. Throws a `TypeError` that names the member. */
export function checkProtocols(place: string, protocols: readonly ServedProtocol[]): void {
  if (!Array.isArray(protocols))
    throw new TypeError(checks.wrongValue(place, 'a list of protocols, such as [{ name, paths, handler }]', protocols));
  for (const [at, protocol] of protocols.entries()) {
    checkOptionNames(`${place}: [${at}]`, protocol, NAMES);
    const { name, paths, openPaths = [], handler } = protocol;
    if (typeof name !== 'string' || name === '')
      throw new TypeError(checks.wrongValue(`${place}: [${at}]: name`, 'a name', name));
    if (typeof handler !== 'function')
      throw new TypeError(checks.wrongValue(`${place}: [${at}]: handler`, 'a function that makes a handler', handler));
    for (const path of [...paths, ...openPaths])
      if (typeof path !== 'string' || !path.startsWith('/'))
        throw new TypeError(checks.wrongValue(`${place}: [${at}]: paths`, 'paths such as /v1/*', path));
  }
}
