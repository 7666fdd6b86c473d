import { checks, type MessageInput, type SendOptions, type SentMessage } from '@conv/core';
import { isEvent, isText, MAX_EVENT_BYTES, type Event } from '@conv/core/events';
import { Backoff, Turns } from '@conv/core/platform';
import { eventRoutes, IDEMPOTENCY_KEY_HEADER, type SendMessageRequest } from '@conv/openhands/rest';

import type { Written } from '../transport/call-route.ts';
import { failureOf, isTransient, toConversationError, type ServerFailure } from '../transport/server-failure.ts';
import type { Approving } from './approvals.ts';
import type { ConversationLink } from './conversation-link.ts';

/** Milliseconds to look in the log for a message whose answer was lost, before it is sent again. */
const SETTLE = 3_000;

type MessageBody = Written<SendMessageRequest> & Pick<SendMessageRequest, 'content'>;

/** Maximum number of attempts to send a message whose answers are lost. */
const SENDS = 3;

/** Sends messages one after the other, so that each can be matched with its own event in the log. */
export class Sending {
  readonly #link: ConversationLink;
  readonly #approving: Approving;
  readonly #turns = new Turns();
  /** Events before this number belong to messages that were sent before. */
  #claimed = 0;

  constructor(link: ConversationLink, approving: Approving) {
    this.#link = link;
    this.#approving = approving;
  }

  /** See `Conversation.sendMessage`. */
  send(message: MessageInput, options: SendOptions): Promise<SentMessage> {
    const content = checks.messageParts(message);
    const body = { role: 'user', content, run: false, sender: options.sender } as const;
    if (new TextEncoder().encode(JSON.stringify(body)).length > MAX_EVENT_BYTES)
      throw this.#link.api.error('EVENT_TOO_LARGE', 'the message is larger than the largest event; shorten it');
    return this.#turns.run(() => this.#send(body, options.id ?? this.#link.api.client.platform.id()));
  }

  async #send(body: MessageBody, key: string): Promise<SentMessage> {
    const { api, follower, capabilities, state } = this.#link;
    if (capabilities.idempotency) {
      await api.call(eventRoutes.sendMessage, { body }, { headers: { [IDEMPOTENCY_KEY_HEADER]: key } });
      await follower.sync();
      return (await this.#named(key)) ?? this.#newest();
    }
    await follower.sync();
    await this.#approving.supersede();
    const from = Math.max(state.events.length, this.#claimed);
    return (await this.#settled(body, from)) ?? this.#newest();
  }

  /** Without idempotency, a lost answer is looked up in the log before anything is sent again. */
  async #settled(body: MessageBody, from: number): Promise<SentMessage | undefined> {
    for (let tries = 1; ; tries++) {
      const failure = await this.#try(body);
      const sent = await this.#appears(body, from);
      if (sent || !failure) return sent;
      if (tries < SENDS) continue;
      if (failure.status !== undefined) throw toConversationError(failure, this.#link.api.id);
      throw this.#link.api.error(
        'OUTCOME_UNKNOWN',
        'cannot tell whether the message was sent; read the log before sending it again',
        failure,
      );
    }
  }

  /** Sends the message once. Resolves with a failure after which the server may have stored the message. */
  async #try(body: MessageBody): Promise<ServerFailure | undefined> {
    try {
      await this.#link.api.call(eventRoutes.sendMessage, { body }, { repeatable: false });
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (!failure?.sent || !isTransient(failure)) throw error;
      return failure;
    }
  }

  async #appears(body: MessageBody, from: number): Promise<SentMessage | undefined> {
    const { platform } = this.#link.api.client;
    const delays = new Backoff(platform, { first: 20, most: 500 });
    for (const until = platform.now() + SETTLE; ;) {
      await this.#link.follower.sync();
      const found = await this.#found(body, from);
      if (found || platform.now() > until) return found;
      await delays.wait({ signal: this.#link.closed });
    }
  }

  /** Finds the message by its key: the server uses a key that is an id as the message's id. Another client may have sent the newest one. */
  async #named(key: string): Promise<SentMessage | undefined> {
    const { queue, events } = this.#link.state;
    if (queue.some(({ id }) => id === key)) return { id: key, queued: true };
    return (await events.get(key)) && { id: key, queued: false };
  }

  /** Finds the first message since `from` with the same text. */
  async #found(body: MessageBody, from: number): Promise<SentMessage | undefined> {
    const { events } = this.#link.state;
    const first = Math.max(from, this.#claimed, events.length - 500);
    const offset = (await events.slice(first)).findIndex((event) => says(event, body));
    if (offset < 0) return undefined;
    this.#claimed = first + offset + 1;
    const id = await events.idAt(first + offset);
    return id === undefined ? undefined : { id, queued: false };
  }

  /** Returns the newest message. The server stored ours, but shows it masked, so its text cannot be compared. */
  #newest(): SentMessage {
    const { state, api } = this.#link;
    const waiting = state.queue.at(-1);
    if (waiting) return { id: waiting.id, queued: true };
    if (state.lastUserMessageId !== null) return { id: state.lastUserMessageId, queued: false };
    throw api.error(
      'SERVER_FAILED',
      'the server accepted the message but does not show it in the log; read the log before sending it again',
    );
  }
}

function says(event: Event, { content }: MessageBody): boolean {
  if (!isEvent(event, 'MessageEvent') || event.source !== 'user') return false;
  return textOf(event.llm_message.content) === textOf(content);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? content.map((part) => (isText(part) ? part.text : JSON.stringify(part))).join('\n')
    : '';
}
