import { eventToJson, localTimestamp, type Event, type KnownEvent } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';

/** Frames of one stored event for both sockets: made when the first socket needs them, then shared. */
export class EventFrames {
  readonly event: Event;
  readonly seq: number;
  readonly #json: string;
  #plain: Buffer | undefined;
  #durable: Buffer | undefined;
  #sent: Buffer | undefined;

  constructor(event: Event, seq: number) {
    this.event = event;
    this.seq = seq;
    this.#json = eventToJson(event);
  }

  /** The frame for the events socket: the event alone. */
  get plain(): Buffer {
    return (this.#plain ??= Buffer.from(this.#json));
  }

  /** The frame for the session socket: the event with its number. */
  get durable(): Buffer {
    return (this.#durable ??= Buffer.from(`{"type":"durable","seq":${this.seq},"event":${this.#json}}`));
  }

  /** The event as a server-sent event, whose id is its number. */
  get sent(): Buffer {
    return (this.#sent ??= Buffer.from(`id: ${this.seq}\ndata: ${this.#json}\n\n`));
  }
}

/** Returns a server-sent event. JSON has no line breaks. */
export function serverSent(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`);
}

/** Frames for both sockets of an event that is shown and never stored. */
export class TransientFrames {
  readonly #json: string;
  #plain: Buffer | undefined;
  #transient: Buffer | undefined;

  constructor(event: Event) {
    this.#json = eventToJson(event);
  }

  get plain(): Buffer {
    return (this.#plain ??= Buffer.from(this.#json));
  }

  get transient(): Buffer {
    return (this.#transient ??= Buffer.from(`{"type":"transient","event":${this.#json}}`));
  }
}

/** Returns an event that only sockets carry: it has its own id and time, and is not in the log. */
export function socketEvent<E extends KnownEvent>(
  platform: Pick<Platform, 'id' | 'now'>,
  fields: Omit<E, 'id' | 'timestamp' | 'parent_id'>,
): E {
  return { id: platform.id(), timestamp: localTimestamp(platform.now()), ...fields } as unknown as E;
}

/** Returns a frame of the session socket that carries no event. */
export function controlFrame(frame: { readonly type: string; readonly [key: string]: unknown }): Buffer {
  return Buffer.from(JSON.stringify(frame));
}
