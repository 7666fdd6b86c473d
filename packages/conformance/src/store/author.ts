import { randomUUID } from 'node:crypto';

import { applyCommit, emptyProjection, initialFields, type Projection, type StateFields, toSnapshot } from '@conv/core';
import { createClock, type Event, stampEvent, textContent, userMessage } from '@conv/core/events';
import type { CallRecord, Commit, ConversationStore, Journal, NewCommit, Snapshot } from '@conv/core/store';

const clock = createClock();

/** The contents of a commit of an {@link Author}. `events`: the events themselves, or a number of messages. */
export interface CommitParts {
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

const template = stampEvent(userMessage(''), { id: randomUUID(), timestamp: clock.next() });

/** A message event; `parent` is the id of the event before it. Checked once, by its template: suites make thousands. */
export function messageEvent(text: string, parent: string | null): Event {
  const message = { ...template.llm_message, content: Object.freeze([Object.freeze(textContent(text))]) };
  return Object.freeze({
    ...template,
    id: randomUUID(),
    timestamp: clock.next(),
    ...(parent === null ? {} : { parent_id: parent }),
    llm_message: Object.freeze(message),
  });
}

/** Writes one conversation and remembers what it wrote. */
export class Author {
  readonly id: string;
  /** The stored commits as plain values, which a reader must find; see {@link plainCommit}. */
  readonly written: unknown[] = [];
  /** All events, in order. */
  readonly events: Event[] = [];
  journal: Journal;
  #projection: Projection = emptyProjection;

  constructor(id: string, journal: Journal) {
    this.id = id;
    this.journal = journal;
  }

  /** Makes a conversation and writes its first commit. */
  static async begin(store: ConversationStore, fields: Partial<StateFields> = {}): Promise<Author> {
    const id = fields.id ?? randomUUID();
    const author = new Author(id, await store.open(id, { create: 'must', owner: 'author' }));
    const createdAt = new Date().toISOString();
    await author.append({ patch: { set: { ...initialFields, createdAt, ...fields, id } } });
    return author;
  }

  /** The state after everything that was made so far. */
  get fields(): StateFields {
    return this.#projection.fields;
  }

  /** The part of this state that an owner keeps. */
  get snapshot(): Snapshot {
    return toSnapshot(this.#projection);
  }

  /** The id of the last event made. */
  get head(): string | null {
    return this.#projection.fields.leafEventId;
  }

  /** Returns messages that follow one another behind everything that was made so far. */
  messages(count: number): readonly Event[] {
    const made: Event[] = [];
    let parent = this.head;
    for (let at = 0; at < count; at++) {
      const event = messageEvent(`message ${this.events.length + at}`, parent);
      made.push(event);
      parent = event.id;
    }
    return made;
  }

  /** Returns the next commit and the state after it, as {@link Journal.append} takes them. */
  make({ events = 0, patch, records }: CommitParts): readonly [NewCommit, StateFields] {
    const list = typeof events === 'number' ? this.messages(events) : events;
    const commit: NewCommit = {
      id: randomUUID(),
      events: list,
      ...(patch ? { patch } : {}),
      ...(records ? { records } : {}),
    };
    const { seq, event: firstEvent } = this.#projection.end;
    const stored: Commit = { ...commit, seq, firstEvent, epoch: 0 };
    this.#projection = applyCommit(this.#projection, stored, () => undefined);
    this.events.push(...list);
    this.written.push(plainCommit(stored));
    return [commit, this.fields];
  }

  /** Writes the next commit. */
  append(parts: CommitParts): Promise<Commit> {
    return this.journal.append(...this.make(parts));
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
