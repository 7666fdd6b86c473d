import { EventLog } from '@conv/core';
import type { Event } from '@conv/core/events';

import type { EventReader } from './event-reader.ts';

/** The events of a conversation on a server: the newest from memory, all others by the page when asked for. */
export class RemoteEvents extends EventLog {
  readonly #reader: EventReader;

  constructor(reader: EventReader, length: number, head: () => string | null) {
    super(reader, length, head);
    this.#reader = reader;
  }

  /** The event with this id; a server finds it without its number. */
  override get(id: string): Promise<Event | undefined> {
    return this.#reader.get(id);
  }
}
