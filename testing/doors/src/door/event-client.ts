import type { NumberedEvent } from '@conv/turns';

import { EventDisplay } from '../show/event-display.ts';
import type { Client, Decided, Said, Visit } from './door.ts';
import { Writer } from './rest.ts';

/** The following of a client. */
export interface Following {
  readonly visit: Visit;
  /** The display of the client. A protocol that begins again with each connection puts another one in its place. */
  display: EventDisplay;
  /** Is aborted when the client is closed. */
  readonly signal: AbortSignal;
}

/** A client that shows the events of a protocol that only reads, and writes by REST. */
export class EventClient implements Client {
  readonly #following: Following;
  readonly #keepsCursor: boolean;
  readonly #writer: Writer;
  readonly #closed = new AbortController();
  readonly #end: Promise<void>;

  /** `follow` resolves when its signal is aborted. */
  constructor(visit: Visit, keepsCursor: boolean, follow: (following: Following) => Promise<void>) {
    this.#keepsCursor = keepsCursor;
    this.#writer = new Writer(() => visit.url, visit.id);
    this.#following = { visit, display: new EventDisplay(visit.known), signal: this.#closed.signal };
    this.#end = follow(this.#following);
  }

  async known(): Promise<readonly NumberedEvent[] | undefined> {
    // a copy: this client goes on until the next one has opened, and shows newer events than that one has by then
    return this.#keepsCursor ? [...this.#following.display.events] : undefined;
  }

  send(message: Said): Promise<void> {
    return this.#writer.send(message);
  }

  decide(decisions: readonly Decided[]): Promise<void> {
    return this.#writer.decide(decisions);
  }

  isAtRest(length: number): boolean {
    return this.#following.display.cursor >= length - 1;
  }

  shown(): readonly string[] {
    return this.#following.display.lines();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#end;
  }
}
