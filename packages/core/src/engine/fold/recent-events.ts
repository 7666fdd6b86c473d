import type { Event } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import { toEventIndex, type EventIndex } from '../../contract/state/log-position.ts';

/** The maximum number of the newest events that stay decoded in memory. */
const MOST = 256;

/** The approximate maximum of their characters of JSON together, because with a thousand open conversations large events add up. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** The newest events of a log by their numbers: always the last event, and as many before it as fit. */
export class RecentEvents {
  /** The events in the order of the log. */
  readonly #kept = new Map<number, { readonly event: Event; readonly characters: number }>();
  #characters = 0;

  /** Keeps the newest event, and drops the oldest events that do not fit. */
  add(index: number, event: Event): void {
    this.#drop(index);
    const characters = lengthOf(event);
    this.#kept.set(index, { event, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      const fits = this.#kept.size <= MOST && this.#characters <= MOST_CHARACTERS;
      if (fits || oldest === index) return;
      this.#drop(oldest);
    }
  }

  at(index: number): Event | undefined {
    return this.#kept.get(index)?.event;
  }

  indexOf(id: string): EventIndex | undefined {
    for (const [index, { event }] of this.#kept) if (event.id === id) return toEventIndex(index);
    return undefined;
  }

  #drop(index: number): void {
    this.#characters -= this.#kept.get(index)?.characters ?? 0;
    this.#kept.delete(index);
  }
}

/** Returns the approximate length of a value's JSON. It is counted, not written, because this happens for every event. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let length = 2;
  if (Array.isArray(value)) for (const item of value) length += lengthOf(item) + 1;
  else for (const name of Object.keys(value)) length += name.length + lengthOf((value as JsonObject)[name]) + 4;
  return length;
}
