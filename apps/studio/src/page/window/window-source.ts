import type { EventsList, SubscribeOptions, Subscriber, Subscription } from '@conv/core';

/** The parts of a conversation that a window reads: a `Conversation` of any runtime has them. */
export interface WindowSource {
  readonly events: Pick<EventsList, 'length' | 'at' | 'slice'>;
  subscribe(subscriber: Subscriber, options?: SubscribeOptions): Subscription;
}
