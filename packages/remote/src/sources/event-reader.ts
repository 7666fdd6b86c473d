import { eventBytes, type Event } from '@conv/core/events';
import { Turns } from '@conv/core/platform';
import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type EventIndex,
  type JournalEnd,
  type JournalReader,
} from '@conv/core/store';

import { EventChunks, type EventChunk } from './event-chunks.ts';
import type { EventPage, EventPages, PageOptions } from './event-pages.ts';
import { KnownPlaces, type Place } from './known-places.ts';
import { numberByTime, readEnd } from './read-last-page.ts';

/** Finds an event near a number without reading all events before it. */
export type PlaceFinder = (index: number) => Promise<Place | undefined>;

/** Distance in events from the nearest known place beyond which a nearer place is looked for. */
const FAR = 500;

/** Pages of a walk whose number is looked for by the times of their events. A log may have times that are out of order. */
const TIMES = 3;

/** Bytes of events in the cache. */
const CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Reads the log of a conversation through the events route: page by page from the nearest known place, never the whole log. Its
 * commits are artificial, so that code that folds or walks a log can read this one.
 */
export class EventReader implements JournalReader {
  readonly damage: readonly never[] = [];
  readonly #pages: EventPages;
  readonly #places = new KnownPlaces();
  readonly #chunks = new EventChunks(CACHE_BYTES);
  readonly #placeNear: PlaceFinder | undefined;
  #length = 0;
  /** Runs one read at a time, so that readers of the same place share it. */
  readonly #turns = new Turns();

  /** `placeNear` finds places that are far from all known places. */
  constructor(pages: EventPages, placeNear?: PlaceFinder) {
    this.#placeNear = placeNear;
    this.#pages = pages;
  }

  get end(): JournalEnd {
    return { seq: toCommitSeq(0), event: toEventIndex(this.#length) };
  }

  /** Finds the length of the log, and resolves with its last page. */
  async open(): Promise<EventChunk> {
    const chunk = await readEnd(this.#pages);
    this.#add(chunk);
    this.#length = Math.max(this.#length, chunk.from + chunk.events.length);
    return chunk;
  }

  /** Yields the events after the last known one, page by page; `admit` makes them known. Rejects {@link ShorterLog} and `LOG_CHANGED`. */
  async *tail(): AsyncGenerator<EventChunk> {
    let last = this.#places.last;
    for (;;) {
      const { events, next, bytes } = last ? await this.#from(last) : await this.#pages.page();
      const known = last ? 1 : 0;
      const from: number = last ? last.index + 1 : 0;
      const fresh = events.slice(known);
      if (fresh.length > 0) {
        last = { index: from + fresh.length - 1, id: (fresh.at(-1) as Event).id };
        yield { from, events: fresh, bytes };
      }
      if (next === undefined || fresh.length === 0) return;
    }
  }

  /** Adds events with known numbers, which came from a socket or in commits. */
  admit(from: number, events: readonly Event[], bytes?: number): void {
    this.#add({ from, events, bytes: bytes ?? events.reduce((sum, event) => sum + eventBytes(event), 0) });
    this.#length = Math.max(this.#length, from + events.length);
  }

  /** Drops the events in the cache, but keeps the known places. */
  forget(): void {
    this.#chunks.clear();
  }

  /** True if this is the number and the id of the last known event. */
  isLast(index: number, eventId: string): boolean {
    return this.#places.last?.index === index && this.#places.last.id === eventId;
  }

  /** True if the event was read recently. */
  knows(eventId: string): boolean {
    return this.#chunks.indexOf(eventId) !== undefined;
  }

  async refresh(): Promise<JournalEnd> {
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit> {
    const [from, to] = 'fromEvent' in range ? [range.fromEvent, range.toEvent] : [0, undefined];
    const end = Math.min(to ?? this.#length, this.#length);
    for (let index: number = from; index < end;) {
      const chunk = await this.#chunkAt(index);
      const events = chunk.events.slice(index - chunk.from, end - chunk.from);
      yield toCommit(index, events);
      index += events.length;
    }
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    const known = this.#places.indexOf(eventId) ?? this.#chunks.indexOf(eventId);
    const index = known ?? (await this.#turns.run(() => this.#walkFrom(eventId)));
    return index === undefined ? undefined : toEventIndex(index);
  }

  /** Returns the event with this id. */
  async get(eventId: string): Promise<Event | undefined> {
    const index = this.#chunks.indexOf(eventId);
    const chunk = index === undefined ? undefined : this.#chunks.at(index);
    return chunk && index !== undefined ? chunk.events[index - chunk.from] : this.#pages.one(eventId);
  }

  async snapshot(): Promise<undefined> {
    return undefined;
  }

  /** Ends at once, because sockets announce new events. */
  async *watch(): AsyncGenerator<Commit> {}

  async close(): Promise<void> {}

  #add(chunk: EventChunk): void {
    this.#chunks.add(chunk);
    this.#places.add(
      chunk.from,
      chunk.events.map(({ id }) => id),
    );
  }

  async #chunkAt(index: number): Promise<EventChunk> {
    return this.#chunks.at(index) ?? this.#turns.run(async () => this.#chunks.at(index) ?? this.#read(index));
  }

  /** Reads towards `index` from the nearer of the two known places around it. */
  async #read(index: number): Promise<EventChunk> {
    await this.#approach(index);
    const before = this.#lastHeld(this.#places.before(index));
    const after = this.#firstHeld(this.#places.after(index));
    const upwards = !after || index - (before?.index ?? 0) <= after.index - index;
    let at: { index: number; id: string | undefined } = upwards
      ? (before ?? { index: 0, id: undefined })
      : (after as { index: number; id: string });
    for (;;) {
      const options = { descending: !upwards };
      const { id } = at;
      const page = id === undefined ? await this.#pages.page(options) : await this.#from({ ...at, id }, options);
      const events = upwards ? page.events : page.events.toReversed();
      const chunk = { from: upwards ? at.index : at.index - events.length + 1, events, bytes: page.bytes };
      this.#add(chunk);
      if (chunk.from <= index && index < chunk.from + events.length) return chunk;
      if (page.next === undefined || events.length === 0)
        throw this.#pages.shorter(`the log now ends before event ${index}`);
      at = { index: upwards ? at.index + events.length : chunk.from - 1, id: page.next };
    }
  }

  /** Returns the last event behind a place up to which events are in the cache, so that they are not read again. */
  #lastHeld(place: Place | undefined): Place | undefined {
    let last = place;
    for (let chunk = last && this.#chunks.at(last.index); chunk; chunk = last && this.#chunks.at(last.index + 1)) {
      const { id } = chunk.events.at(-1) as Event;
      last = { index: chunk.from + chunk.events.length - 1, id };
    }
    return last;
  }

  /** Returns the first event before a place from which on events are in the cache, so that they are not read again. */
  #firstHeld(place: Place | undefined): Place | undefined {
    let first = place;
    for (let chunk = first && this.#chunks.at(first.index); chunk; chunk = first && this.#chunks.at(first.index - 1)) {
      const { id } = chunk.events[0] as Event;
      first = { index: chunk.from, id };
    }
    return first;
  }

  /** Finds a place near `index` if all known places are far from it. */
  async #approach(index: number): Promise<void> {
    const below = index - (this.#places.before(index)?.index ?? 0);
    const above = (this.#places.after(index)?.index ?? Number.POSITIVE_INFINITY) - index;
    const place = Math.min(below, above) > FAR ? await this.#placeNear?.(index) : undefined;
    if (place) this.#places.note(place);
  }

  /** Counts from an event to the next event whose number is known. Far from one, the times of events tell the number. */
  async #walkFrom(eventId: string): Promise<number | undefined> {
    const passed: Event[] = [];
    let tries = TIMES;
    for (let from: string | undefined = eventId; from !== undefined;) {
      const page: EventPage | undefined = await this.#pages.from(from);
      if (!page) return undefined;
      for (const event of page.events) {
        const known = this.#places.indexOf(event.id);
        passed.push(event);
        if (known === undefined) continue;
        const first = known - passed.length + 1;
        this.#places.add(
          first,
          passed.map(({ id }) => id),
        );
        return first;
      }
      const isFar = passed.length > FAR && tries-- > 0;
      const first = isFar ? await numberByTime(this.#pages, page.events) : undefined;
      if (first !== undefined) {
        const index = first + page.events.length - passed.length;
        this.#places.note({ index, id: eventId });
        return index;
      }
      from = page.next;
    }
    return undefined;
  }

  /** Returns the page from a known event on. Rejects {@link ShorterLog} if the log ends before it, `LOG_CHANGED` if another log is there. */
  async #from({ id, index }: Place, options: PageOptions = {}): Promise<EventPage> {
    const page = await this.#pages.from(id, options);
    if (!page) throw await this.#pages.lost(id, index);
    return page;
  }
}

/** Returns consecutive events as an artificial commit. */
export function toCommit(firstEvent: number, events: readonly Event[], seq = 0): Commit {
  return {
    id: `events-${firstEvent}`,
    seq: toCommitSeq(seq),
    epoch: 0,
    firstEvent: toEventIndex(firstEvent),
    events,
  };
}
