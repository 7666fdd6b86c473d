import type { EventsList, StateFields, Subscriber, SubscribeOptions, Subscription } from '@conv/core';

/** Follows a conversation of a server. */
export interface LiveSubscriber extends Subscriber {
  /**
   * Clients are to be given the whole state: a run ended, or somebody paused or interrupted. Called after every event that was there then
   * and after the state change, with the state as it is now; waits for the promise of the call before.
   */
  onSnapshot?(state: StateFields): void | Promise<void>;
}

/** A conversation as sockets follow it: one that is loaded here, or one that another process writes. */
export interface LiveConversation {
  /** A dashed UUID. */
  readonly id: string;
  /** The newest durable state. Its status is `running` from the moment at which a run was accepted. */
  readonly fields: StateFields;
  /** Durable events, secrets masked. */
  readonly events: EventsList;
  /** Another process writes it: it is followed by reading its log, and whatever would write is refused. */
  readonly ownedElsewhere: boolean;
  /** Aborted when there is nothing to follow any more: deleted, taken over by another process, or the server closes. */
  readonly ended: AbortSignal;
  /** Resolves when every event is known here that was durable at the time of the call. Rejects `ConversationError`. */
  refresh(): Promise<void>;
  /** See `Conversation.subscribe`; `onStateChange` is told of statuses as {@link LiveConversation.fields} has them. */
  subscribe(subscriber: LiveSubscriber, options?: SubscribeOptions): Subscription;
}
