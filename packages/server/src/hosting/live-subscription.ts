import type { Conversation, StateFields, Subscriber, Subscription, SubscribeOptions } from '@conv/core';
import type { EventIndex } from '@conv/core/store';

import type { LiveSubscriber } from './live-conversation.ts';

/** The reason of the end of each subscription. Nothing tells it, and an error that each end made would take longer than the end. */
export const OVER: Error = new Error('the subscription has ended');

export interface Followed {
  readonly conversation: Pick<Conversation, 'events' | 'subscribe'>;
  /** The state as readers see it. */
  readonly fields: () => StateFields;
  readonly ended: (subscription: LiveSubscription) => void;
}

/**
 * Follows a conversation of this server for a single subscriber. Delivers state changes and snapshots one at a time, after all
 * events that existed when they happened, with the state at the time of delivery.
 */
export class LiveSubscription implements Subscription {
  readonly #followed: Followed;
  readonly #subscriber: LiveSubscriber;
  readonly #subscription: Subscription;
  #leaveSignal: (() => void) | undefined;
  #shown: StateFields;
  /** Resolves when the deliveries before have ended; `undefined` when there are none. */
  #last: Promise<void> | undefined;
  #hasEnded = false;

  constructor(followed: Followed, subscriber: LiveSubscriber, options: SubscribeOptions = {}) {
    this.#followed = followed;
    this.#subscriber = subscriber;
    this.#shown = followed.fields();
    const { signal } = options;
    if (signal) {
      const end = (): void => this.unsubscribe();
      signal.addEventListener('abort', end, { once: true });
      this.#leaveSignal = () => signal.removeEventListener('abort', end);
    }
    const told = new Told(subscriber, () => this.#queue(() => this.#showState()));
    this.#subscription = followed.conversation.subscribe(told, options);
  }

  get position(): EventIndex {
    return this.#subscription.position;
  }

  caughtUp(index: EventIndex): Promise<void> {
    return this.#subscription.caughtUp(index);
  }

  unsubscribe(): void {
    this.#hasEnded = true;
    this.#leaveSignal?.();
    this.#subscription.unsubscribe();
    this.#followed.ended(this);
  }

  /** Called when the state shown to readers changed without a change of the stored state. */
  refresh(): void {
    void this.#afterEvents(() => this.#showState());
  }

  /** Hands over the whole state. */
  snapshot(): void {
    void this.#afterEvents(async () => {
      await this.#showState();
      await this.#subscriber.onSnapshot?.(this.#followed.fields());
    });
  }

  async #afterEvents(work: () => Promise<void>): Promise<void> {
    const { events } = this.#followed.conversation;
    await this.#subscription.caughtUp(events.length as EventIndex);
    await this.#queue(work);
  }

  async #showState(): Promise<void> {
    const state = this.#followed.fields();
    const before = this.#shown;
    if (state === before) return;
    this.#shown = state;
    await this.#subscriber.onStateChange?.(state, before);
  }

  /** Runs the work after that before it. A chain that is made when it is needed, because a server has two subscriptions for each socket. */
  #queue(work: () => Promise<void>): Promise<void> {
    const before = this.#last ?? Promise.resolve();
    const done: Promise<void> = before.then(async () => {
      try {
        if (!this.#hasEnded) await work();
      } catch (error) {
        this.#report(error);
      } finally {
        if (this.#last === done) this.#last = undefined;
      }
    });
    this.#last = done;
    return done;
  }

  #report(error: unknown): void {
    if (this.#subscriber.onError) this.#subscriber.onError(error);
    else process.emitWarning(error instanceof Error ? error : String(error), 'SubscriberWarning');
  }
}

/**
 * The subscriber that a {@link LiveSubscription} gives to its conversation: everything reaches its own one, except changes of the state. It is a class,
 * because methods of a class take no memory for each subscription.
 */
class Told implements Subscriber {
  readonly #subscriber: LiveSubscriber;
  readonly #changed: () => Promise<void>;
  declare readonly onToken?: NonNullable<Subscriber['onToken']>;
  declare readonly onError?: NonNullable<Subscriber['onError']>;

  constructor(subscriber: LiveSubscriber, changed: () => Promise<void>) {
    this.#subscriber = subscriber;
    this.#changed = changed;
    // models stream for subscribers that have this method
    if (subscriber.onToken) this.onToken = (delta) => subscriber.onToken?.(delta);
    if (subscriber.onError) this.onError = (error) => subscriber.onError?.(error);
  }

  onEvent(...told: Parameters<NonNullable<Subscriber['onEvent']>>): void | Promise<void> {
    return this.#subscriber.onEvent?.(...told);
  }

  onStateChange(): Promise<void> {
    return this.#changed();
  }

  onOutput(...told: Parameters<NonNullable<Subscriber['onOutput']>>): void {
    this.#subscriber.onOutput?.(...told);
  }

  onAnswerAborted(...told: Parameters<NonNullable<Subscriber['onAnswerAborted']>>): void {
    this.#subscriber.onAnswerAborted?.(...told);
  }
}
