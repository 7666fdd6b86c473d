import { checkSubscriber } from '../contract/conversation/check-subscriber.ts';
import { invalidOption } from '../contract/settings-input/invalid-option.ts';
import type {
  Subscriber,
  SubscriberInput,
  SubscribeOptions,
  Subscription,
} from '../contract/conversation/subscriber.ts';
import type { EventsList } from '../contract/conversation/events-list.ts';
import { toEventIndex, type EventIndex } from '../contract/state/log-position.ts';
import type { StateFields } from '../contract/state/fields.ts';
import { warn } from '../platform/warn.ts';

/**
 * The position of one subscriber in a log. Reads at the subscriber's own pace and holds no event for it, so that a slow
 * subscriber costs nothing and delays no other (P1).
 */
export class Cursor implements Subscription {
  readonly #subscriber: Subscriber;
  readonly #log: Pick<EventsList, 'length' | 'at'>;
  /** Masks errors before they are reported. */
  readonly #safe: (error: unknown) => unknown;
  readonly #ended = new AbortController();
  readonly #waiters = new Map<() => void, number>();
  #next: number;
  #seenState: StateFields;
  #currentState: StateFields;
  #running = false;
  #wokenAgain = false;

  constructor(
    subscriber: SubscriberInput,
    log: Pick<EventsList, 'length' | 'at'>,
    state: StateFields,
    options: SubscribeOptions = {},
    safe: (error: unknown) => unknown = (error) => error,
  ) {
    check(subscriber, options);
    this.#safe = safe;
    this.#subscriber = typeof subscriber === 'function' ? { onEvent: subscriber } : subscriber;
    this.#log = log;
    this.#seenState = state;
    this.#currentState = state;
    this.#next = options.from ?? log.length;
    options.signal?.addEventListener('abort', () => this.unsubscribe(), { once: true, signal: this.#ended.signal });
    if (options.signal?.aborted) this.unsubscribe();
  }

  get position(): EventIndex {
    return toEventIndex(this.#next);
  }

  /** Aborted when the subscription has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  caughtUp(index: number): Promise<void> {
    if (this.#next >= index || this.#ended.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.set(resolve, index));
  }

  unsubscribe(): void {
    this.#ended.abort();
    for (const wake of this.#waiters.keys()) wake();
    this.#waiters.clear();
  }

  /** Ends the subscription and reports the reason. */
  fail(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    this.unsubscribe();
    this.#report(error);
  }

  /** Tells the cursor that there may be more to deliver. Returns at once. */
  wake(state: StateFields): void {
    this.#currentState = state;
    this.#wokenAgain = this.#running;
    if (this.#running || this.#ended.signal.aborted) return;
    this.#running = true;
    // not in the caller's stack: a subscriber must never run inside the commit path
    queueMicrotask(() => void this.#pump());
  }

  /** Delivers a piece of a model's answer. */
  token(delta: Parameters<NonNullable<Subscriber['onToken']>>[0]): void {
    this.#tell(() => this.#subscriber.onToken?.(delta));
  }

  /** Tells the subscriber that an answer ended without an event after pieces of it were delivered. */
  answerAborted(...answer: Parameters<NonNullable<Subscriber['onAnswerAborted']>>): void {
    this.#tell(() => this.#subscriber.onAnswerAborted?.(...answer));
  }

  /** Delivers a piece of a running tool's output. */
  output(output: Parameters<NonNullable<Subscriber['onOutput']>>[0]): void {
    this.#tell(() => this.#subscriber.onOutput?.(output));
  }

  /** True if the subscriber takes pieces of answers. */
  get wantsTokens(): boolean {
    return this.#subscriber.onToken !== undefined;
  }

  async #pump(): Promise<void> {
    try {
      do {
        // a wake between the last look and the end of this loop must not be lost
        this.#wokenAgain = false;
        while (!this.#ended.signal.aborted && (await this.#deliverOne())) this.#wakeWaiters();
      } while (this.#wokenAgain);
    } catch (error) {
      this.#report(error);
    } finally {
      this.#running = false;
      this.#wakeWaiters();
    }
  }

  /** Delivers the next event, or the newest state; false when there is neither. */
  async #deliverOne(): Promise<boolean> {
    if (this.#next < this.#log.length) {
      const index = this.#next;
      const event = await this.#log.at(index);
      // the subscriber unsubscribed before this event, so the position stays
      if (this.#ended.signal.aborted) return false;
      if (event) await this.#call(() => this.#subscriber.onEvent?.(event, toEventIndex(index)));
      this.#next = index + 1;
      return true;
    }
    if (this.#seenState === this.#currentState) return false;
    const [state, before] = [this.#currentState, this.#seenState];
    this.#seenState = state;
    await this.#call(() => this.#subscriber.onStateChange?.(state, before));
    return true;
  }

  #tell(call: () => void): void {
    if (this.#ended.signal.aborted) return;
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }

  async #call(call: () => void | Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#report(error);
    }
  }

  #wakeWaiters(): void {
    for (const [wake, index] of this.#waiters) {
      if (this.#next < index) continue;
      this.#waiters.delete(wake);
      wake();
    }
  }

  #report(error: unknown): void {
    try {
      if (this.#subscriber.onError) this.#subscriber.onError(error);
      else warn(this.#safe(error), 'SubscriberWarning');
    } catch (reporting) {
      warn(this.#safe(reporting), 'SubscriberWarning');
    }
  }
}

function check(subscriber: unknown, { from }: SubscribeOptions): void {
  checkSubscriber('subscribe', subscriber);
  if (from === undefined || (Number.isInteger(from) && from >= 0)) return;
  throw invalidOption(
    `subscribe: from: expected the number of an event, a whole number from 0, found ${JSON.stringify(from)}`,
  );
}
