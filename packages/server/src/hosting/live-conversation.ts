import type { EventsList, StateFields, Subscriber, SubscribeOptions, Subscription } from '@conv/core';

import type { Ending } from './ending.ts';

/** Follows a conversation of a server. */
export interface LiveSubscriber extends Subscriber {
  /**
   * Called when clients are to be given the whole state: a run ended, or a client paused or interrupted it. Called after every
   * event that existed then and after the state change, with the current state. Waits for the promise of the call before.
   */
  onSnapshot?(state: StateFields): void | Promise<void>;
}

/** A conversation as sockets follow it: loaded here, or written by another process. */
export interface LiveConversation {
  /** A dashed UUID. */
  readonly id: string;
  /** The newest durable state. Its status is `running` from the moment at which a run was accepted. */
  readonly fields: StateFields;
  /** Durable events, secrets masked. */
  readonly events: EventsList;
  /** True if another process writes the conversation. It is followed by reading its log, and every write is refused. */
  readonly ownedElsewhere: boolean;
  /**
   * Aborted when the conversation can no longer be followed: it was deleted or taken over by another process, or the server closes.
   */
  readonly ended: AbortSignal;
  /** The same, without a signal. */
  readonly ending: Ending;
  /** Resolves when every event is known here that was durable at the time of the call. Rejects `ConversationError`. */
  refresh(): Promise<void>;
  /** See `Conversation.subscribe`; `onStateChange` is told of statuses as {@link LiveConversation.fields} has them. */
  subscribe(subscriber: LiveSubscriber, options?: SubscribeOptions): Subscription;
}
