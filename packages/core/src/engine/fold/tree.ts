import { toEventIndex, type EventIndex } from '../../contract/state/log-position.ts';
import type { JournalReader } from '../../contract/store/conversation-store.ts';
import { ROOT_PARENT } from '../../events/event-base.ts';
import type { Event } from '../../events/index.ts';
import { readEvents, type IndexedEvent } from './read-events.ts';

const CHUNK = 512;

/**
 * Resolves with the numbers of the events on the path from the root to `leaf`, root first. A missing parent, or a parent not
 * older than its child, is bridged to the nearest older event that survives. Resolves `undefined` when `leaf` is unknown.
 */
export async function pathTo(reader: JournalReader, leaf: string): Promise<readonly EventIndex[] | undefined> {
  const start = await reader.locate(leaf);
  return start === undefined ? undefined : walkBack(reader, start);
}

/** Returns the events on the same path, `start` first; reads only a little more than the caller takes. */
export async function* backFrom(reader: JournalReader, start: EventIndex): AsyncGenerator<IndexedEvent> {
  const walker = new BackwardReader(reader);
  let index: EventIndex | undefined = start;
  while (index !== undefined) {
    const found: IndexedEvent | undefined = await walker.atOrBefore(index);
    if (!found) return;
    yield found;
    index = await parentIndex(reader, walker, found);
  }
}

/** Resolves with the path to the nearest surviving event before `child`, which replaces a parent that damage took. */
export async function pathBefore(reader: JournalReader, child: EventIndex): Promise<readonly EventIndex[]> {
  return child === 0 ? [] : walkBack(reader, toEventIndex(child - 1));
}

async function walkBack(reader: JournalReader, start: EventIndex): Promise<readonly EventIndex[]> {
  const path = await Array.fromAsync(backFrom(reader, start), ({ index }) => index);
  return path.reverse();
}

/** Resolves with the events at `indices`, which ascend; neighbours are read together. */
export async function* eventsAt(reader: JournalReader, indices: readonly EventIndex[]): AsyncGenerator<IndexedEvent> {
  for (let at = 0; at < indices.length;) {
    const from = indices[at] as EventIndex;
    let length = 1;
    while (indices[at + length] === from + length) length++;
    yield* readEvents(reader, from, from + length);
    at += length;
  }
}

async function parentIndex(
  reader: JournalReader,
  walker: BackwardReader,
  { event, index }: IndexedEvent,
): Promise<EventIndex | undefined> {
  if (event.parent_id === ROOT_PARENT || index === 0) return undefined;
  const before = toEventIndex(index - 1);
  if (event.parent_id === undefined || event.parent_id === null) return before;
  const previous = await walker.atOrBefore(before);
  if (!previous || previous.event.id === event.parent_id) return previous?.index;
  const located = await reader.locate(event.parent_id);
  return located !== undefined && located < index ? located : previous.index;
}

/** Reads single events towards the start of a log, a chunk at a time. */
class BackwardReader {
  readonly #reader: JournalReader;
  #chunk: IndexedEvent[] = [];
  #from = 0;
  #to = 0;

  constructor(reader: JournalReader) {
    this.#reader = reader;
  }

  /** Resolves with the event at `index`, or with the nearest older event that survives. */
  async atOrBefore(index: EventIndex): Promise<IndexedEvent | undefined> {
    let at: number = index;
    while (at >= 0) {
      if (at < this.#from || at >= this.#to) await this.#load(at);
      const found = this.#find(at);
      if (found) return found;
      at = this.#from - 1;
    }
    return undefined;
  }

  #find(index: number): IndexedEvent | undefined {
    const whole = this.#chunk[index - this.#from];
    return whole?.index === index ? whole : this.#chunk.findLast((item) => item.index <= index);
  }

  async #load(index: number): Promise<void> {
    this.#from = Math.max(0, index + 1 - CHUNK);
    this.#to = index + 1;
    this.#chunk = await Array.fromAsync(readEvents(this.#reader, this.#from, this.#to));
  }
}

/** Returns the event that `event` follows when `before` came before it; `null` without such an event. */
export function parentOf(event: Event, before: string | null): string | null {
  return event.parent_id === ROOT_PARENT ? null : (event.parent_id ?? before);
}
