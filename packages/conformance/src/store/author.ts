import { projections, initialFields, type Projection, type StateFields } from '@conv/core';
import { createClock, type Event, type MessageEvent, stampEvent, textContent, userMessage } from '@conv/core/events';
import { isoNow, type Platform } from '@conv/core/platform';
import type { CallRecord, Commit, ConversationStore, Journal, NewCommit, Snapshot } from '@conv/core/store';

/** The contents of a commit of an {@link Author}. `events`: the events themselves, or a number of messages. */
export interface CommitOptions {
  readonly events?: number | readonly Event[];
  readonly patch?: NonNullable<NewCommit['patch']>;
  readonly records?: NonNullable<NewCommit['records']>;
}

/** A record of one model call. */
export const RECORD: CallRecord = {
  kind: 'model_call',
  usageId: 'agent',
  model: 'model',
  cost: 0.000_123_4,
  promptTokens: 1200,
  completionTokens: 34,
  cacheReadTokens: 1000,
  cacheWriteTokens: 0,
  reasoningTokens: 7,
  contextWindow: 200_000,
  latency: 1.25,
  responseId: 'response-1',
  timestamp: 1_789_000_000.5,
};

/** Writes one conversation and remembers what it wrote. */
export class Author {
  readonly id: string;
  /** The stored commits as plain values, which a reader must find; see {@link plainCommit}. */
  readonly written: unknown[] = [];
  /** All events, in order. */
  readonly events: Event[] = [];
  journal: Journal;
  readonly #platform: Platform;
  readonly #clock: ReturnType<typeof createClock>;
  /** Event that was checked once, which the messages are copies of: suites make thousands. */
  readonly #template: MessageEvent;
  #projection: Projection = projections.empty;

  constructor(platform: Platform, id: string, journal: Journal) {
    this.id = id;
    this.journal = journal;
    this.#platform = platform;
    this.#clock = createClock(platform);
    this.#template = stampEvent(userMessage(''), { id: platform.id(), timestamp: this.#clock.next() });
  }

  /** Makes a conversation and writes its first commit. */
  static async begin(platform: Platform, store: ConversationStore, fields: Partial<StateFields> = {}): Promise<Author> {
    const id = fields.id ?? platform.id();
    const author = new Author(platform, id, await store.open(id, { create: 'must', owner: 'author' }));
    await author.append({ patch: { set: { ...initialFields, createdAt: isoNow(platform), ...fields, id } } });
    return author;
  }

  /** The state after everything that was made so far. */
  get fields(): StateFields {
    return this.#projection.fields;
  }

  /** The part of this state that an owner keeps. */
  get snapshot(): Snapshot {
    return projections.toSnapshot(this.#projection);
  }

  /** The id of the last event made. */
  get head(): string | null {
    return this.#projection.fields.leafEventId;
  }

  /** Returns a message after the event with the id `parent`. */
  message(text: string, parent: string | null): Event {
    const message = { ...this.#template.llm_message, content: Object.freeze([Object.freeze(textContent(text))]) };
    return Object.freeze({
      ...this.#template,
      id: this.#platform.id(),
      timestamp: this.#clock.next(),
      ...(parent === null ? {} : { parent_id: parent }),
      llm_message: Object.freeze(message),
    });
  }

  /** Returns messages that follow one another after everything that was made so far. */
  messages(count: number): readonly Event[] {
    const made: Event[] = [];
    let parent = this.head;
    for (let at = 0; at < count; at++) {
      const event = this.message(`message ${this.events.length + at}`, parent);
      made.push(event);
      parent = event.id;
    }
    return made;
  }

  /** Returns the next commit and the state after it, as {@link Journal.append} takes them. */
  make({ events = 0, patch, records }: CommitOptions): readonly [NewCommit, StateFields] {
    const list = typeof events === 'number' ? this.messages(events) : events;
    const commit: NewCommit = {
      id: this.#platform.id(),
      events: list,
      ...(patch ? { patch } : {}),
      ...(records ? { records } : {}),
    };
    const { seq, event: firstEvent } = this.#projection.end;
    const stored: Commit = { ...commit, seq, firstEvent, epoch: 0 };
    this.#projection = projections.applyCommit(this.#projection, stored, () => undefined);
    this.events.push(...list);
    this.written.push(plainCommit(stored));
    return [commit, this.fields];
  }

  /** Writes the next commit. */
  append(contents: CommitOptions): Promise<Commit> {
    return this.journal.append(...this.make(contents));
  }

  /** Gives up ownership and takes it again. */
  async reopen(store: ConversationStore): Promise<void> {
    await this.journal.close();
    this.journal = await store.open(this.id, { create: 'never', owner: 'author' });
  }
}

/** A commit as JSON, without the epoch that its owner happened to have. */
export function plainCommit({ id, seq, firstEvent, events, patch, records }: Commit): unknown {
  return JSON.parse(JSON.stringify({ id, seq, firstEvent, events, patch, records }));
}
