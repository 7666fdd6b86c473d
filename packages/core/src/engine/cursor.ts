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
  #leaveSignal: (() => void) | undefined;
  /** Made when it is needed, because a server has several idle subscriptions for each conversation. */
  #waiters: Map<() => void, number> | undefined;
  #hasEnded = false;
  #next: number;
  #seenState: StateFields;
  #currentState: StateFields;
  /** `woken`: there may be more than the delivery under way has looked for. */
  #delivery: 'idle' | 'running' | 'woken' = 'idle';

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
    const { signal } = options;
    if (!signal) return;
    const end = (): void => this.unsubscribe();
    signal.addEventListener('abort', end, { once: true });
    this.#leaveSignal = () => signal.removeEventListener('abort', end);
    if (signal.aborted) end();
  }

  get position(): EventIndex {
    return toEventIndex(this.#next);
  }

  /** True if the subscription has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Called once with the cursor, when the subscription has ended. */
  onEnd: ((cursor: Cursor) => void) | undefined;

  caughtUp(index: number): Promise<void> {
    if (this.#next >= index || this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => (this.#waiters ??= new Map()).set(resolve, index));
  }

  unsubscribe(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#leaveSignal?.();
    for (const wake of this.#waiters?.keys() ?? []) wake();
    this.#waiters = undefined;
    this.onEnd?.(this);
  }

  /** Ends the subscription and reports the reason. */
  fail(error: unknown): void {
    if (this.#hasEnded) return;
    this.unsubscribe();
    this.#report(error);
  }

  /** Tells the cursor that there may be more to deliver. Returns at once. */
  wake(state: StateFields): void {
    this.#currentState = state;
    if (this.#delivery !== 'idle') this.#delivery = 'woken';
    if (this.#delivery !== 'idle' || this.#hasEnded) return;
    this.#delivery = 'running';
    // not in the caller's stack: a subscriber must never run inside the commit path
    queueMicrotask(() => void this.#pump());
  }

  /** Gives the subscriber something outside the log, such as a piece of an answer. */
  give(call: (subscriber: Subscriber) => void): void {
    if (this.#hasEnded) return;
    try {
      call(this.#subscriber);
    } catch (error) {
      this.#report(error);
    }
  }

  /** True if the subscriber takes pieces of answers. */
  get wantsTokens(): boolean {
    return this.#subscriber.onToken !== undefined;
  }

  async #pump(): Promise<void> {
    try {
      do {
        // a wake between the last look and the end of this loop must not be lost
        this.#delivery = 'running';
        while (!this.#hasEnded && (await this.#deliverOne())) this.#wakeWaiters();
      } while ((this.#delivery as string) === 'woken');
    } catch (error) {
      this.#report(error);
    } finally {
      this.#delivery = 'idle';
      this.#wakeWaiters();
    }
  }

  /** Delivers the next event, or the newest state; false when there is neither. */
  async #deliverOne(): Promise<boolean> {
    if (this.#next < this.#log.length) {
      const index = this.#next;
      const event = await this.#log.at(index);
      // the subscriber unsubscribed before this event, so the position stays
      if (this.#hasEnded) return false;
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

  async #call(call: () => void | Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.#report(error);
    }
  }

  #wakeWaiters(): void {
    for (const [wake, index] of this.#waiters ?? []) {
      if (this.#next < index) continue;
      this.#waiters?.delete(wake);
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
