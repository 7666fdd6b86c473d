import type { Event } from '@conv/core/events';
import type { NumberedEvent } from '@conv/turns';

import { EventDisplay } from '../show/event-display.ts';
import type { Client, Door, Visit } from './door.ts';
import { ask, pause, Writer } from './rest.ts';

/** Server-sent events, as an EventSource follows them: with a ticket for each connection, and the id of the last event. */
export const streamDoor: Door = {
  name: 'stream',
  shows: 'log',
  takesCursor: true,
  leavesOut: [],
  open: (visit) => opened(new StreamClient(visit, true)),
};

/** Server-sent events for a client that keeps no cursor: each connection brings the newest turn from its beginning. */
export const streamWithoutCursorDoor: Door = {
  name: 'stream without a cursor',
  shows: 'turn',
  takesCursor: false,
  leavesOut: [],
  open: (visit) => opened(new StreamClient(visit, false)),
};

async function opened(client: StreamClient): Promise<Client> {
  await client.ready;
  return client;
}

class StreamClient implements Client {
  readonly ready: Promise<void>;
  readonly #visit: Visit;
  readonly #keepsCursor: boolean;
  readonly #writer: Writer;
  readonly #closed = new AbortController();
  #display: EventDisplay;
  #onState: () => void = () => {};
  #following: Promise<void>;

  constructor(visit: Visit, keepsCursor: boolean) {
    this.#visit = visit;
    this.#keepsCursor = keepsCursor;
    this.#writer = new Writer(() => visit.url, visit.id);
    this.#display = new EventDisplay(visit.known);
    this.ready = new Promise((resolve) => (this.#onState = resolve));
    this.#following = this.#follow();
  }

  async known(): Promise<readonly NumberedEvent[] | undefined> {
    return this.#keepsCursor ? this.#display.events : undefined;
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
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#connect().catch(() => {});
      this.#display.lost();
      await pause();
    }
  }

  async #connect(): Promise<void> {
    const { url, id } = this.#visit;
    const { body } = await ask(url, { method: 'POST', path: '/api/auth/stream-ticket' });
    // a client without a cursor shows what the connection brings
    const from = this.#keepsCursor ? `&after=${this.#display.cursor}` : '';
    const answer = await fetch(`${url}/api/conversations/${id}/stream?ticket=${String(body['ticket'])}${from}`, {
      headers: this.#keepsCursor && this.#display.cursor >= 0 ? { 'last-event-id': `${this.#display.cursor}` } : {},
      signal: this.#closed.signal,
    });
    if (!answer.ok) return;
    if (!this.#keepsCursor) this.#display = new EventDisplay();
    let rest = '';
    for await (const part of (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const frames = `${rest}${part}`.split('\n\n');
      rest = frames.pop() as string;
      frames.forEach((frame) => this.#take(frame));
    }
  }

  #take(frame: string): void {
    const fields = new Map(frame.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
    const data = JSON.parse(fields.get('data') ?? '{}') as Readonly<Record<string, never>>;
    const [id, name] = [fields.get('id'), fields.get('event')];
    if (id !== undefined) this.#display.event({ index: Number(id), event: data as unknown as Event });
    if (name === 'item_started') this.#display.begin(data['item_id'] as never);
    if (name === 'delta')
      this.#display.piece(data['item_id'] as never, data['kind'] as never, data['content'] as never);
    if (name === 'item_aborted') this.#display.withdraw(data['item_id'] as never);
    if (name === 'state') this.#onState();
  }
}
