import { checkOptionNames, checks, type Conversation, type JsonObject, type OptionNames } from '@conv/core';
import type { ClientToolInput } from '@conv/core/tool';
import type { ConversationPage, ListedConversation, ReadConversation } from '@conv/turns';

/** A handler of an adapter, such as `createOpenAIHandler` of `@conv/openai` makes. */
export type ProtocolHandler = (request: Request) => Promise<Response>;

/** The conversation that a request asks for. Everything else follows the settings that clients have stored on the server. */
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

/** The place in a conversation whose progress is told, such as a task: the event that began it. */
export interface ReceiverPlace {
  readonly conversation: string;
  readonly event: string;
}

/** A receiver that a client named for a place. The value is that of the protocol, with the address and the keys of the receiver. */
export interface ProtocolReceiver {
  /** Unique in its place. */
  readonly id: string;
  readonly value: JsonObject;
}

/**
 * Receivers of a protocol, which the server keeps encrypted in its registry and tells what {@link ServedProtocol.nextMessage} says: in order, at least once, by
 * any server of a fleet, also after a crash and long after the last request. A receiver that has taken nothing for a day is removed. A receiver is told as long as
 * the key of the client that named it may read the conversation. All functions reject `RegistryError`.
 */
export interface ProtocolReceivers {
  /** Resolves with the receivers of a place, the oldest first. */
  readonly list: (place: ReceiverPlace) => Promise<readonly ProtocolReceiver[]>;
  /** Stores a receiver in the place of the one with its id. Resolves with false, and stores nothing, if there are `most` others. */
  readonly set: (
    place: ReceiverPlace,
    receiver: ProtocolReceiver,
    options: { readonly most: number; readonly request: Request },
  ) => Promise<boolean>;
  /** Removes a receiver; nothing more is sent to it. Idempotent. */
  readonly delete: (place: ReceiverPlace, id: string) => Promise<void>;
}

/** The progress of a receiver. */
export interface ReceiverProgress {
  /** The number of the next event; 0 before the first message. */
  readonly event: number;
  /** The state that it was told last, in the words of the protocol; null before the first message. */
  readonly state: string | null;
}

/** A request to a receiver, by POST, and its progress when it has taken it. */
export interface ReceiverMessage extends ReceiverProgress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
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
  /** Reads a conversation that nothing is to be done in; the caller closes it. Opens and continues nothing. Rejects as `open`. */
  readonly read: (id: string, request: Request | undefined) => Promise<ListedConversation>;
  /** The receivers of the protocol. Absent without `nextMessage`, and on a server without the option `receivers`. */
  readonly receivers?: ProtocolReceivers;
  /** Resolves with the names for `model` of {@link WantedConversation}. */
  readonly models: () => Promise<readonly string[]>;
}

/** A protocol that the server speaks beside its own routes, with the same keys, by the handler of an adapter. */
export interface ServedProtocol {
  /** The name among `protocols` of `/server_info`. */
  readonly name: string;
  /** Paths below the server, in Fastify's form: `/v1/*`. Requests need a key with the scope read, and more by what they do. */
  readonly paths: readonly string[];
  /** Further paths, which need no key, such as the path of an agent's card. Default: none. */
  readonly openPaths?: readonly string[];
  /** Makes the handler, before the first request. */
  readonly handler: (conversations: CallerConversations) => ProtocolHandler | Promise<ProtocolHandler>;
  /**
   * Resolves with the next message to a receiver; `undefined` if there is nothing to tell now, and `over` if there will be nothing more: the receiver is
   * removed then. Reads the conversation alone, because any server may go on after another one. Default: the protocol has no receivers.
   */
  readonly nextMessage?: (
    conversation: ReadConversation,
    event: string,
    told: { readonly value: JsonObject; readonly progress: ReceiverProgress },
  ) => Promise<ReceiverMessage | 'over' | undefined>;
  /** Called when the server closes, if there is a handler. */
  readonly close?: () => Promise<void>;
}

const NAMES: OptionNames<ServedProtocol> = {
  name: true,
  paths: true,
  openPaths: true,
  handler: true,
  nextMessage: true,
  close: true,
};

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
