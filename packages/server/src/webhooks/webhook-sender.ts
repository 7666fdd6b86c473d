import { Backoff, type BackoffOptions, type Platform, type Timer } from '@conv/core/platform';
import { isRegistryError } from '@conv/store-kit/registry';

import type { DeliveryResult } from './conversation-delivery.ts';
import { DeliveryError } from './post-message.ts';
import { nextState, type ReceiverEvent, type ReceiverState } from './receiver-state.ts';

/** Maximum number of conversations that are delivered to one receiver concurrently, by its state. */
const AT_ONCE: Readonly<Record<ReceiverState['kind'], number>> = {
  sending: 8,
  probing: 1,
  paused: 0,
  waiting: 0,
  closed: 0,
};

/** Waits after failures: 1 s to 10 min. */
const BACKOFF: BackoffOptions = { first: 1000, most: 600_000 };

/** Milliseconds for which nothing is sent when the registry does not answer. */
const REGISTRY_PAUSE = 2000;

export interface WebhookSenderDeps {
  readonly platform: Platform;
  readonly backoff: BackoffOptions | undefined;
  /** Milliseconds for which a few events of a running conversation wait for more. */
  readonly flushDelay: number;
  /** Milliseconds after which a conversation is tried again while another server delivers it. */
  readonly heldFor: number;
  readonly deliver: (id: string, options: { flush: boolean; signal: AbortSignal }) => Promise<DeliveryResult>;
  /**
   * Called with every failure. For a failure of the receiver, `since` is the time of the first failure after the last success, in epoch
   * milliseconds. Without `since`, this server could not ask the receiver.
   */
  readonly failed: (error: unknown, id: string, since: number | undefined) => void;
}

/**
 * Sends the news of conversations to one receiver, by one delivery for each conversation at a time. Holds only ids, because the news stays
 * in the logs.
 *
 * While the receiver is away, one conversation at a time is tried, and all others wait. The next try takes another conversation, because
 * the receiver may fail at the content of the last one. If the receiver refuses one conversation, it still gets all others. Both waits
 * grow, and neither ends.
 */
export class WebhookSender {
  readonly #deps: WebhookSenderDeps;
  /** Conversations that are next; true if the events of a conversation wait for no more. */
  readonly #due = new Map<string, boolean>();
  readonly #working = new Map<string, Promise<void>>();
  /** Conversations whose turn comes later. */
  readonly #later = new Map<string, Timer>();
  /** Waits of conversations that failed, until one of their messages is taken. */
  readonly #refused = new Map<string, Backoff>();
  readonly #away: Backoff;
  readonly #closing = new AbortController();
  #receiver: ReceiverState = { kind: 'sending', failingSince: undefined };

  constructor(deps: WebhookSenderDeps) {
    this.#deps = deps;
    this.#away = this.#newBackoff();
  }

  /** True if a conversation is known to have news for the receiver. */
  has(id: string): boolean {
    return this.#due.has(id) || this.#working.has(id) || this.#later.has(id);
  }

  /** Notes that a conversation may have changed. A conversation that failed keeps its wait, however much happens in it. */
  add(id: string, { flush = false }: { readonly flush?: boolean } = {}): void {
    if (this.#isClosed() || (this.#refused.has(id) && !this.#working.has(id))) return;
    this.#later.get(id)?.cancel();
    this.#later.delete(id);
    this.#due.set(id, flush || this.#due.get(id) === true);
    this.#work();
  }

  /** Notes that the receiver has taken a message. */
  took(id: string): void {
    this.#refused.delete(id);
    this.#on({ kind: 'took' });
    this.#away.reset();
  }

  /** Begins nothing more. Resolves when all requests have ended; they are cancelled after the grace in milliseconds. */
  async close(grace: number): Promise<void> {
    this.#on({ kind: 'close' });
    for (const timer of this.#later.values()) timer.cancel();
    const late = this.#deps.platform.setTimer(grace, () => this.#closing.abort());
    await Promise.all(this.#working.values());
    late.cancel();
  }

  #work(): void {
    for (const [id, flush] of this.#due) {
      if (this.#working.size >= AT_ONCE[this.#receiver.kind]) return;
      if (this.#working.has(id)) continue;
      this.#due.delete(id);
      const work = this.#tell(id, flush).then(() => {
        this.#working.delete(id);
        this.#work();
      });
      this.#working.set(id, work);
    }
  }

  /** Never rejects. */
  async #tell(id: string, flush: boolean): Promise<void> {
    const { deliver, flushDelay, heldFor } = this.#deps;
    try {
      const result = await deliver(id, { flush, signal: this.#closing.signal });
      if (result === 'held') this.#wait(id, heldFor);
      else if (result === 'buffered' && !this.#due.has(id)) this.#wait(id, flushDelay);
      else if (result === 'settled') this.#refused.delete(id);
    } catch (error) {
      if (!this.#isClosed()) this.#failed(error, id);
    }
  }

  #failed(error: unknown, id: string): void {
    const { platform, failed } = this.#deps;
    const isOfReceiver = error instanceof DeliveryError;
    const at = platform.now();
    const asked = isOfReceiver ? error.wait : 0;
    if (isOfReceiver && error.isOfReceiver) {
      this.#due.set(id, true);
      this.#on({ kind: 'away', at, begin: () => this.#pause(Math.max(this.#away.next(), asked), id) });
    } else if (isRegistryError(error, 'UNAVAILABLE')) {
      this.#due.set(id, true);
      // one outage fails all deliveries that are on, and is reported once
      if ('timer' in this.#receiver) return;
      this.#on({ kind: 'unasked', begin: () => this.#pause(REGISTRY_PAUSE, id) });
    } else {
      if (isOfReceiver) this.#on({ kind: 'refused', at });
      const backoff = this.#refused.get(id) ?? this.#newBackoff();
      this.#refused.set(id, backoff);
      this.#due.delete(id);
      this.#wait(id, Math.max(backoff.next(), asked));
    }
    failed(error, id, isOfReceiver ? this.#failingSince : undefined);
  }

  get #failingSince(): number | undefined {
    return this.#receiver.kind === 'closed' ? undefined : this.#receiver.failingSince;
  }

  #isClosed(): boolean {
    return this.#receiver.kind === 'closed';
  }

  #on(event: ReceiverEvent): void {
    this.#receiver = nextState(this.#receiver, event);
  }

  /** Lets all conversations wait. The conversation that failed is the last one to be tried again. */
  #pause(milliseconds: number, failed: string): Timer {
    const end = (): void => {
      this.#on({ kind: 'waited' });
      this.#due.delete(failed);
      this.#due.set(failed, true);
      this.#work();
    };
    return this.#deps.platform.setTimer(milliseconds, end, { background: true });
  }

  #wait(id: string, milliseconds: number): void {
    if (this.#isClosed()) return;
    const end = (): void => {
      this.#later.delete(id);
      this.#due.set(id, true);
      this.#work();
    };
    this.#later.set(id, this.#deps.platform.setTimer(milliseconds, end, { background: true }));
  }

  #newBackoff(): Backoff {
    return new Backoff(this.#deps.platform, { ...BACKOFF, ...this.#deps.backoff });
  }
}
