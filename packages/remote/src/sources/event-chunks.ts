import type { Event } from '@conv/core/events';

/** Consecutive events. */
export interface EventChunk {
  readonly from: number;
  readonly events: readonly Event[];
  /** Its approximate size in memory. */
  readonly bytes: number;
}

/** Limits of a chunk that still grows, in events and bytes. A chunk is dropped as a whole. */
const GROWN = { events: 100, bytes: 1024 * 1024 };

/** Keeps the most recently used events in memory; bounded by bytes, whatever the log's length. */
export class EventChunks {
  readonly #limit: number;
  /** Chunks by use, the most recently used chunk last. */
  #chunks: EventChunk[] = [];
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  at(index: number): EventChunk | undefined {
    const found = this.#chunks.findLast(({ from, events }) => from <= index && index < from + events.length);
    if (found && this.#chunks.at(-1) !== found) this.#chunks = [...this.#chunks.filter((one) => one !== found), found];
    return found;
  }

  indexOf(id: string): number | undefined {
    for (const { from, events } of this.#chunks) {
      const offset = events.findIndex((event) => event.id === id);
      if (offset >= 0) return from + offset;
    }
    return undefined;
  }

  /** Forgets everything. */
  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** Keeps a chunk; joins it to a short chunk that ends where it begins. */
  add(chunk: EventChunk): void {
    if (chunk.events.length === 0) return;
    const before = this.#chunks.find(({ from, events }) => from + events.length === chunk.from);
    const joins =
      before && before.events.length + chunk.events.length <= GROWN.events && before.bytes + chunk.bytes <= GROWN.bytes;
    const added = joins
      ? { from: before.from, events: [...before.events, ...chunk.events], bytes: before.bytes + chunk.bytes }
      : chunk;
    this.#chunks = [...this.#chunks.filter((one) => !joins || one !== before), added];
    this.#bytes += chunk.bytes;
    while (this.#bytes > this.#limit && this.#chunks.length > 1) this.#bytes -= this.#chunks.shift()?.bytes ?? 0;
  }
}
