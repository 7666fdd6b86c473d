import { checkEventId } from '../contract/settings-input/invalid-option.ts';
import { EventMask } from '../masking/event-mask.ts';
import { isEvent, ROOT_PARENT, type Event, type MessageEvent } from '../events/index.ts';
import { movesHead } from '../events/guards.ts';
import { ConversationError } from '../contract/errors/conversation-error.ts';
import type { EventsList } from '../contract/conversation/events-list.ts';
import type { Commit } from '../contract/store/commit.ts';
import type { EventIndex } from '../contract/state/log-position.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';
import { readEvents } from './fold/read-events.ts';
import { newestAnswer } from './fold/last-answer.ts';
import { RecentEvents } from './fold/recent-events.ts';
import { backFrom, eventsAt, pathTo } from './fold/tree.ts';

/** Add a commit to a log, and forget its events in memory. They are no methods, so that users of a log cannot change it. */
let add: (log: EventLog, commit: Commit) => void;
let forgetRecent: (log: EventLog) => void;

/** Returns a new {@link EventLog}, and the functions that change what it holds in memory, which only the caller has. */
export function growingLog(...given: ConstructorParameters<typeof EventLog>): {
  readonly events: EventLog;
  /** Adds a commit that became durable. */
  readonly admit: (commit: Commit) => void;
  /** Forgets the newest events, which are read from the journal from now on. */
  readonly forget: () => void;
} {
  const events = new EventLog(...given);
  return { events, admit: (commit) => add(events, commit), forget: () => forgetRecent(events) };
}

/**
 * The events of a journal: the newest from memory, all others from the store on demand. An event that was stored before a
 * secret's value was known is masked when it is read (P9).
 */
export class EventLog implements EventsList {
  static {
    add = (log, { events, firstEvent }) => {
      if (events.length > 0) log.#recent ??= new RecentEvents();
      events.forEach((event, offset) => log.#recent?.add(firstEvent + offset, event));
      log.#length = firstEvent + events.length;
    };
    forgetRecent = (log) => void (log.#recent = undefined);
  }

  readonly #reader: JournalReader;
  readonly #head: () => string | null;
  readonly #mask: EventMask;
  #recent: RecentEvents | undefined;
  #length: number;

  constructor(
    reader: JournalReader,
    length: number,
    head: () => string | null,
    mask: EventMask = new EventMask(undefined),
  ) {
    this.#reader = reader;
    this.#length = length;
    this.#head = head;
    this.#mask = mask;
  }

  get length(): number {
    return this.#length;
  }

  async at(index: number): Promise<Event | undefined> {
    const whole = Math.trunc(index) || 0;
    const position = whole < 0 ? this.#length + whole : whole;
    if (position < 0 || position >= this.#length) return undefined;
    const recent = this.#recent?.at(position);
    if (recent) return this.#mask.event(recent);
    for await (const { event } of readEvents(this.#reader, position, position + 1)) return this.#mask.event(event);
    return undefined;
  }

  /** See {@link EventsList.get}. */
  async get(id: string): Promise<Event | undefined> {
    checkEventId('events.get', id);
    const index = await this.indexOf(id);
    return index === undefined ? undefined : this.at(index);
  }

  /** See {@link EventsList.indexOf}. */
  async indexOf(id: string): Promise<EventIndex | undefined> {
    checkEventId('events.indexOf', id);
    const recent = this.#recent?.indexOf(id);
    if (recent !== undefined) return recent;
    const index = await this.#reader.locate(id);
    return index !== undefined && index < this.#length ? index : undefined;
  }

  async idAt(index: number): Promise<string | undefined> {
    return (await this.at(index))?.id;
  }

  async slice(start = 0, end: number = this.#length): Promise<readonly Event[]> {
    const length = this.#length;
    const [first, stop] = [Math.trunc(start) || 0, Math.trunc(end) || 0];
    const from = first < 0 ? Math.max(0, length + first) : first;
    const to = Math.min(length, stop < 0 ? length + stop : stop);
    const events: Event[] = [];
    for (let index = from; index < to; index++) {
      const recent = this.#recent?.at(index);
      if (!recent) {
        for await (const item of readEvents(this.#reader, index, to)) events.push(this.#mask.event(item.event));
        break;
      }
      events.push(this.#mask.event(recent));
    }
    return events;
  }

  /** Returns all events in log order, as they are read. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for await (const { event } of readEvents(this.#reader, 0, this.#length)) yield this.#mask.event(event);
  }

  async branch(leaf: string | null = this.#head()): Promise<readonly Event[]> {
    if (leaf !== null) checkEventId('events.branch', leaf);
    return Array.fromAsync(this.walk(leaf));
  }

  /** Returns the events of {@link EventLog.branch}, as they are read. */
  async *walk(leaf: string | null): AsyncGenerator<Event> {
    if (leaf === null) return;
    const path = await pathTo(this.#reader, leaf);
    if (!path) throw unknownEvent(leaf);
    for await (const { event } of eventsAt(this.#reader, path)) yield this.#mask.event(event);
  }

  /** Returns the messages of user and agent on a branch. */
  async messages(leaf: string | null): Promise<readonly MessageEvent[]> {
    const messages: MessageEvent[] = [];
    for await (const event of this.walk(leaf)) if (isEvent(event, 'MessageEvent')) messages.push(event);
    return messages;
  }

  async leaves(): Promise<readonly string[]> {
    const leaves = new Set<string>();
    const seen = new Set<string>();
    let previous: string | undefined;
    for await (const { event, index } of readEvents(this.#reader, 0, this.#length)) {
      if (!movesHead(event)) continue;
      const named = event.parent_id ?? (index === 0 ? undefined : previous);
      // A parent that damage took is bridged to the event before, as pathTo does.
      const parent = named === undefined || named === ROOT_PARENT || seen.has(named) ? named : previous;
      if (parent !== undefined) leaves.delete(parent);
      seen.add(event.id);
      leaves.add(event.id);
      previous = event.id;
    }
    return [...leaves];
  }

  /** Resolves with the text of the last answer on a branch, as `finalResponse` documents it. Reads back no further than that. */
  async lastAnswer(leaf: string | null): Promise<string> {
    return newestAnswer(this.#walkBack(leaf));
  }

  async *#walkBack(leaf: string | null): AsyncGenerator<Event> {
    if (leaf === null) return;
    const start = await this.#reader.locate(leaf);
    if (start === undefined) throw unknownEvent(leaf);
    for await (const { event } of backFrom(this.#reader, start)) yield this.#mask.event(event);
  }
}

/** Returns the error of an id that no event has. */
export function unknownEvent(id: string): ConversationError {
  const text = `no event has the id ${JSON.stringify(id)}; events.slice() lists them`;
  return new ConversationError('UNKNOWN_EVENT', text, { eventId: id });
}
