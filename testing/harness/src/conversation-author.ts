import { randomUUID } from 'node:crypto';
import { projections, initialFields, type StateFields, type StatePatch } from '@conv/core';
import { stampEvent, textContent, userMessage, type Event } from '@conv/core/events';
import type { Commit, ConversationStore, Journal, NewCommit } from '@conv/core/store';

let clock = Date.UTC(2026, 0, 1);

/** Makes a user's message that follows `parent`. */
export function message(text: string, parent: string | null): Event {
  const event = stampEvent(userMessage([textContent(text)]), {
    id: randomUUID(),
    timestamp: new Date(clock++).toISOString().replace('Z', '000'),
  });
  return parent === null ? event : Object.freeze({ ...event, parent_id: parent });
}

/** Writes one conversation without a runtime, and keeps the acknowledged commits. */
export class Author {
  readonly id: string;
  readonly acknowledged: Commit[] = [];
  /** The state with everything that was given to the journal. */
  fields: StateFields;

  constructor(id: string = randomUUID()) {
    this.id = id;
    this.fields = { ...initialFields, id, createdAt: '2026-01-01T00:00:00.000Z' };
  }

  /** Makes a conversation and its first commit. */
  static async open(store: ConversationStore, owner = 'author'): Promise<{ author: Author; journal: Journal }> {
    const author = new Author();
    const journal = await store.open(author.id, { create: 'must', owner });
    await author.begin(journal);
    return { author, journal };
  }

  /** Appends the first commit of a conversation. */
  begin(journal: Journal): Promise<Commit> {
    return this.#append(journal, { id: randomUUID(), events: [], patch: { set: this.fields } });
  }

  /** Makes a message that follows the last one. */
  draft(text: string): Event {
    return message(text, this.fields.leafEventId);
  }

  /** Appends messages in one commit. */
  say(journal: Journal, ...texts: readonly string[]): Promise<Commit> {
    const events = texts.map((text) => {
      const event = this.draft(text);
      this.fields = { ...this.fields, leafEventId: event.id, lastUserMessageId: event.id };
      return event;
    });
    return this.#append(journal, { id: randomUUID(), events });
  }

  /** Appends a change of the state. */
  change(journal: Journal, patch: StatePatch): Promise<Commit> {
    this.fields = projections.applyPatch(this.fields, patch);
    return this.#append(journal, { id: randomUUID(), events: [], patch });
  }

  /** The ids of the acknowledged commits, in order. */
  get ids(): readonly string[] {
    return this.acknowledged.map(({ id }) => id);
  }

  async #append(journal: Journal, commit: NewCommit): Promise<Commit> {
    const stored = await journal.append(commit, this.fields);
    this.acknowledged.push(stored);
    return stored;
  }
}
