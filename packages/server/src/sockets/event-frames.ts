import { eventToJson, localTimestamp, type Event, type KnownEvent } from '@conv/core/events';
import type { Platform } from '@conv/core/platform';

/** Frames of one stored event for sockets and streams: made when the first of them needs them, then shared. */
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
function serverSent(name: string, json: string): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${json}\n\n`);
}

/** Frames of an event that is shown and never stored. */
export class TransientFrames {
  readonly #json: string;
  #plain: Buffer | undefined;
  #transient: Buffer | undefined;
  #sent: Buffer | undefined;

  constructor(event: Event) {
    this.#json = eventToJson(event);
  }

  get plain(): Buffer {
    return (this.#plain ??= Buffer.from(this.#json));
  }

  get transient(): Buffer {
    return (this.#transient ??= Buffer.from(`{"type":"transient","event":${this.#json}}`));
  }

  /** The event as a server-sent event `state`. */
  get sent(): Buffer {
    return (this.#sent ??= serverSent('state', this.#json));
  }
}

/** Frames that carry no event, for the session socket and as server-sent events. */
export class ControlFrames {
  readonly #type: string;
  readonly #json: string;
  #plain: Buffer | undefined;
  #sent: Buffer | undefined;

  constructor(frame: { readonly type: string; readonly [key: string]: unknown }) {
    this.#type = frame.type;
    this.#json = JSON.stringify(frame);
  }

  get plain(): Buffer {
    return (this.#plain ??= Buffer.from(this.#json));
  }

  /** The frame as a server-sent event with the name of its type. */
  get sent(): Buffer {
    return (this.#sent ??= serverSent(this.#type, this.#json));
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
