import type { Conversation, StateFields, Subscription, SubscribeOptions } from '@conv/core';
import { Turns } from '@conv/core/platform';
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
  #shown: StateFields;
  readonly #turns = new Turns();
  readonly #over = new AbortController();

  constructor(followed: Followed, subscriber: LiveSubscriber, options: SubscribeOptions = {}) {
    this.#followed = followed;
    this.#subscriber = subscriber;
    this.#shown = followed.fields();
    options.signal?.addEventListener('abort', () => this.unsubscribe(), { once: true, signal: this.#over.signal });
    this.#subscription = followed.conversation.subscribe(
      {
        onEvent: (event, index) => subscriber.onEvent?.(event, index),
        onStateChange: () => this.#queue(() => this.#showState()),
        ...(subscriber.onToken ? { onToken: (delta) => subscriber.onToken?.(delta) } : {}),
        onOutput: (output) => subscriber.onOutput?.(output),
        onAnswerAborted: (eventId, reason) => subscriber.onAnswerAborted?.(eventId, reason),
        ...(subscriber.onError ? { onError: (error) => subscriber.onError?.(error) } : {}),
      },
      options,
    );
  }

  get position(): EventIndex {
    return this.#subscription.position;
  }

  caughtUp(index: EventIndex): Promise<void> {
    return this.#subscription.caughtUp(index);
  }

  unsubscribe(): void {
    this.#over.abort(OVER);
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

  #queue(work: () => Promise<void>): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#over.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        this.#report(error);
      }
    });
  }

  #report(error: unknown): void {
    if (this.#subscriber.onError) this.#subscriber.onError(error);
    else process.emitWarning(error instanceof Error ? error : String(error), 'SubscriberWarning');
  }
}
