import { isRegistryError } from '@conv/store-kit/registry';

import type { WebhookMessage } from './webhook-message.ts';
import type { Position, StoredPosition, WebhookPositions } from './webhook-positions.ts';

/** Resolves with the message behind a position, or with the reason why there is none; `gone`: the receiver is told nothing more of the conversation. */
export type NextStep = (
  id: string,
  stored: StoredPosition | undefined,
  options: { readonly flush: boolean },
) => Promise<Step | DeliveryResult | 'gone'>;

export interface ConversationDeliveryDeps {
  readonly positions: WebhookPositions;
  /** Reads what comes next, secrets masked. */
  readonly next: NextStep;
  /** Sends a message. Rejects when the receiver has not taken it. */
  readonly post: (message: WebhookMessage) => Promise<void>;
  readonly delivered: (id: string, events: number) => void;
}

/**
 * The result of a delivery. `settled`: the receiver knows everything. `buffered`: a few events wait for more. `held`: another server tells the
 * receiver.
 */
export type DeliveryResult = 'settled' | 'buffered' | 'held';

/** A message, and the position when the receiver has taken it. */
export interface Step {
  /** Without one only lost events are passed. */
  readonly message: WebhookMessage | undefined;
  /** The position that is stored before the message is sent, if it differs from the present one. */
  readonly before: Position;
  readonly after: Position;
  readonly events: number;
  /** True if nothing more was known to come when the log was read. */
  readonly isLast: boolean;
}

/**
 * Tells a receiver what happened in a conversation, one message after the other:
 *
 *     read the log ──► claim the position ──► post ──► 2xx ──► move the position ──► read the log …
 *
 * Invariant: a position moves only after a 2xx, and only if the claim still holds. After a crash between the two, the next server sends the same message with the
 * same id once more, before any later one.
 */
export class ConversationDelivery {
  readonly #deps: ConversationDeliveryDeps;

  constructor(deps: ConversationDeliveryDeps) {
    this.#deps = deps;
  }

  /**
   * Delivers until nothing is left or `signal` aborts. `flush`: does not wait for more events of a running conversation. Rejects as reading, the registry and
   * `post` reject; then the claim was given up.
   */
  async deliver(id: string, { flush, signal }: { flush: boolean; signal: AbortSignal }): Promise<DeliveryResult> {
    const { positions, next } = this.#deps;
    let stored = await positions.read(id);
    let claimed: StoredPosition | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        const step = await next(id, claimed ?? stored, { flush });
        if (typeof step === 'string') {
          if (step !== 'gone') return step;
          const last = claimed ?? stored;
          claimed = undefined;
          if (last) await positions.remove(id, last);
          return 'settled';
        }
        if (!claimed) claimed = await positions.claim(id, stored, step.before);
        else if (claimed.batchEnd !== step.before.batchEnd) claimed = await positions.move(id, claimed, step.before);
        if (!claimed) return 'held';
        if (step.message) await this.#deps.post(step.message);
        if (step.message) this.#deps.delivered(id, step.events);
        const moved = await positions.move(id, claimed, step.after, { release: step.isLast });
        claimed = step.isLast ? undefined : moved;
        stored = moved;
      }
    } catch (error) {
      if (!isRegistryError(error, 'CONFLICT')) throw error;
      claimed = undefined;
      return 'held';
    } finally {
      if (claimed) await positions.release(id, claimed);
    }
  }
}
