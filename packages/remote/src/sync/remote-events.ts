import { checks, type EventLog, type EventsList } from '@conv/core';
import type { Event, MessageEvent } from '@conv/core/events';
import type { EventIndex } from '@conv/core/store';

import type { EventReader } from '../sources/event-reader.ts';

/**
 * The events of a conversation on a server. The newest are in memory; all others are read page by page on request (P12). It has no
 * method that changes the log; {@link RemoteState} extends and replaces it.
 */
export class RemoteEvents implements EventsList {
  readonly #reader: EventReader;
  readonly #current: () => EventLog;

  constructor(reader: EventReader, log: () => EventLog) {
    this.#reader = reader;
    this.#current = log;
  }

  get #log(): EventLog {
    return this.#current();
  }

  get length(): number {
    return this.#log.length;
  }

  at(index: number): Promise<Event | undefined> {
    return this.#log.at(index);
  }

  /** Returns the event with this id. Asks the server, which finds it without its number. */
  async get(id: string): Promise<Event | undefined> {
    checks.eventId('events.get', id);
    return this.#reader.get(id);
  }

  indexOf(id: string): Promise<EventIndex | undefined> {
    return this.#log.indexOf(id);
  }

  idAt(index: number): Promise<string | undefined> {
    return this.#log.idAt(index);
  }

  slice(start?: number, end?: number): Promise<readonly Event[]> {
    return this.#log.slice(start, end);
  }

  branch(leaf?: string | null): Promise<readonly Event[]> {
    return this.#log.branch(leaf);
  }

  leaves(): Promise<readonly string[]> {
    return this.#log.leaves();
  }

  /** Returns the messages of user and agent on a branch. */
  messages(leaf: string | null): Promise<readonly MessageEvent[]> {
    return this.#log.messages(leaf);
  }

  /** Iterates over all events in log order, and reads page by page. */
  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return this.#log[Symbol.asyncIterator]();
  }
}
