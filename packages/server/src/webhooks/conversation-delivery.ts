import type { EventsList } from '@conv/core';
import { eventBytes } from '@conv/core/events';
import { isRegistryError } from '@conv/store-kit/registry';
import { numbered, type NumberedEvent } from '@conv/turns';

import type { Reading } from '../hosting/stored-conversation.ts';
import { stateDigest } from './state-digest.ts';
import type { WebhookFormat, WebhookMessage } from './webhook-message.ts';
import { START, type Position, type StoredPosition, type WebhookPositions } from './webhook-positions.ts';

/** Number of events read at a time to find a moment. */
const PAGE = 100;

/** Number of events read at a time for a batch: few, because an event may be large and a batch may end with any of them. */
const BATCH_PAGE = 20;

export interface ConversationDeliveryDeps {
  readonly positions: WebhookPositions;
  readonly format: WebhookFormat;
  /** Epoch milliseconds from which the receiver is told. */
  readonly since: number;
  /** Opens a conversation for reading, secrets masked; `undefined` when there is none. */
  readonly read: (id: string) => Promise<Reading | undefined>;
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
interface Step {
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
    const { positions } = this.#deps;
    let stored = await positions.read(id);
    let claimed: StoredPosition | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        const step = await this.#next(id, claimed ?? stored, flush);
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

  /** Resolves with the next message of a conversation, or with the reason why there is none. */
  async #next(id: string, stored: StoredPosition | undefined, flush: boolean): Promise<Step | DeliveryResult | 'gone'> {
    const { format, read } = this.#deps;
    // opened for each message: a conversation must not stay loaded while a receiver is slow
    await using reading = await read(id);
    if (!reading) return 'gone';
    const { fields, state } = reading;
    const position = stored ?? (await this.#firstPosition(reading));
    const end = state.events.length;
    if (!stored && position !== START && position.event >= end) return 'settled';
    if (format.announces && position.state === null) return await this.#stateStep(reading, position);
    if (position.event < end) {
      const isRunning = fields.executionStatus === 'running';
      const waits = !flush && isRunning && position.batchEnd === null && end - position.event < format.bufferSize;
      return waits ? 'buffered' : await this.#eventsStep(reading, position);
    }
    return stateDigest(fields, position) === position.state ? 'settled' : await this.#stateStep(reading, position);
  }

  async #stateStep(reading: Reading, position: Position): Promise<Step> {
    const message = await this.#deps.format.state(reading, position);
    const after = { ...position, state: stateDigest(reading.fields, position), states: position.states + 1 };
    return { message, before: position, after, events: 0, isLast: position.event >= reading.state.events.length };
  }

  async #eventsStep(reading: Reading, position: Position): Promise<Step> {
    const { format } = this.#deps;
    const { events } = reading.state;
    const most = Math.min(position.batchEnd ?? position.event + format.mostEvents, events.length);
    // the bytes of a repeated batch were counted when it began
    const mostBytes = position.batchEnd === null ? format.mostBytes : Infinity;
    const { part, end } = await batchOf(events, { from: position.event, to: most, mostBytes });
    // a batch is stored before it is sent, so that its repetition has the same events and the same id
    const before = format.mostEvents === 1 ? position : { ...position, batchEnd: end };
    const message = part.length === 0 ? undefined : format.events(reading, part);
    return { message, before, after: { ...position, event: end, batchEnd: null }, events: part.length, isLast: false };
  }

  /** Resolves with the position of a conversation without one: its start, or the first event since the webhook was set up. */
  async #firstPosition({ fields, state: { events } }: Reading): Promise<Position> {
    const { since } = this.#deps;
    if (Date.parse(fields.createdAt) >= since) return START;
    return { ...START, event: await firstSince(events, since) };
  }
}

/**
 * Resolves with the first events of a span whose JSON has at most so many bytes together, and with the number of the next event. At least one event, if
 * there is one. Reads no page behind the last one.
 */
async function batchOf(
  events: EventsList,
  { from, to, mostBytes }: { readonly from: number; readonly to: number; readonly mostBytes: number },
): Promise<{ readonly part: readonly NumberedEvent[]; readonly end: number }> {
  const part: NumberedEvent[] = [];
  let bytes = 0;
  for (let at = from; at < to; at += BATCH_PAGE) {
    for (const each of await numbered(events, at, Math.min(at + BATCH_PAGE, to))) {
      bytes += eventBytes(each.event);
      if (bytes > mostBytes && part.length > 0) return { part, end: each.index };
      part.push(each);
    }
  }
  return { part, end: to };
}

/** Resolves with the number of the first event that is not older; the length of the list if all are. Reads from the end. */
async function firstSince(events: EventsList, since: number): Promise<number> {
  for (let to = events.length; to > 0; to -= PAGE) {
    const page = await numbered(events, Math.max(0, to - PAGE), to);
    const older = page.findLast(({ event }) => Date.parse(event.timestamp) < since);
    if (older) return older.index + 1;
  }
  return 0;
}
