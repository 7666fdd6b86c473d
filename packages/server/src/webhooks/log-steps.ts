import type { EventsList } from '@conv/core';
import { eventBytes } from '@conv/core/events';
import { numbered, type NumberedEvent } from '@conv/turns';

import type { Reading } from '../hosting/stored-conversation.ts';
import type { DeliveryResult, Step } from './conversation-delivery.ts';
import { stateDigest } from './state-digest.ts';
import type { WebhookFormat } from './webhook-message.ts';
import { START, type Position, type StoredPosition } from './webhook-positions.ts';

/** Number of events read at a time to find a moment. */
const PAGE = 100;

/** Number of events read at a time for a batch: few, because an event may be large and a batch may end with any of them. */
const BATCH_PAGE = 20;

export interface LogStepsDeps {
  readonly format: WebhookFormat;
  /** Epoch milliseconds from which the receiver is told. */
  readonly since: number;
  /** Opens a conversation for reading, secrets masked; `undefined` when there is none. */
  readonly read: (id: string) => Promise<Reading | undefined>;
}

/** The messages of a webhook: the events of a log, and the states that a conversation comes to. */
export class LogSteps {
  readonly #deps: LogStepsDeps;

  constructor(deps: LogStepsDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the next message of a conversation, or with the reason why there is none. `flush`: does not wait for more events of a running
   * conversation.
   */
  async next(
    id: string,
    stored: StoredPosition | undefined,
    { flush }: { readonly flush: boolean },
  ): Promise<Step | DeliveryResult | 'gone'> {
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
