import type { NumberedEvent } from '@conv/turns';

import { EventDisplay } from '../show/event-display.ts';
import type { Client, Door, Visit } from './door.ts';
import { ask, pause, Writer } from './rest.ts';

/** Requests that wait for the next events. */
export const pollDoor: Door = {
  name: 'poll',
  shows: 'log',
  takesCursor: true,
  leavesOut: [],
  open: async (visit) => new PollClient(visit),
};

/** Events in one answer at most: few, so that there are many answers to lose. */
const LIMIT = 2;

class PollClient implements Client {
  readonly #visit: Visit;
  readonly #writer: Writer;
  readonly #display: EventDisplay;
  readonly #polling: Promise<void>;
  readonly #closed = new AbortController();

  constructor(visit: Visit) {
    this.#visit = visit;
    this.#writer = new Writer(() => visit.url, visit.id);
    this.#display = new EventDisplay(visit.known);
    this.#polling = this.#poll();
  }

  async known(): Promise<readonly NumberedEvent[]> {
    return this.#display.events;
  }

  send(text: string): Promise<void> {
    return this.#writer.send(text);
  }

  approve(actions: readonly string[]): Promise<void> {
    return this.#writer.approve(actions);
  }

  isAtRest(length: number): boolean {
    return this.#display.cursor >= length - 1;
  }

  shown(): readonly string[] {
    return this.#display.lines();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { url, id } = this.#visit;
    while (!this.#closed.signal.aborted) {
      const path = `/api/conversations/${id}/events/poll?after=${this.#display.cursor}&limit=${LIMIT}&wait=60`;
      const answer = await ask(url, { method: 'GET', path, signal: this.#closed.signal }).catch(() => undefined);
      const events = answer?.status === 200 ? (answer.body['events'] as { seq: number; event: never }[]) : undefined;
      for (const { seq, event } of events ?? []) this.#display.event({ index: seq, event });
      if (!events) await pause();
    }
  }
}
