import { randomUUID } from 'node:crypto';
import { projections, initialFields, type StateFields, type StatePatch } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit, Journal, NewCommit } from '@conv/core/store';

let clock = Date.UTC(2026, 0, 1);

/** A user's message that follows `parent`. */
export function message(text: string, parent: string | null): Event {
  const timestamp = new Date(clock++).toISOString().replace('Z', '000');
  const llm_message = { role: 'user', content: [{ cache_prompt: false, type: 'text', text }], thinking_blocks: [] };
  const base = {
    id: randomUUID(),
    timestamp,
    source: 'user',
    kind: 'MessageEvent',
    activated_skills: [],
    extended_content: [],
    llm_message,
  };
  return (parent === null ? base : { ...base, parent_id: parent }) as Event;
}

/** Writes one conversation and keeps what was acknowledged. */
export class Author {
  readonly id: string;
  readonly acknowledged: Commit[] = [];
  fields: StateFields;
  #pending = initialFields;

  constructor(id: string = randomUUID()) {
    this.id = id;
    this.fields = { ...initialFields, id, createdAt: '2026-01-01T00:00:00.000Z' };
    this.#pending = this.fields;
  }

  /** The first commit of a conversation. */
  async begin(journal: Journal): Promise<void> {
    await this.#append(journal, { id: randomUUID(), events: [], patch: { set: this.fields } });
  }

  /** Appends a message. */
  say(journal: Journal, text: string): Promise<void> {
    const event = message(text, this.#pending.leafEventId);
    this.#pending = { ...this.#pending, leafEventId: event.id, lastUserMessageId: event.id };
    return this.#append(journal, { id: randomUUID(), events: [event] });
  }

  /** Appends a change of the state. */
  change(journal: Journal, patch: StatePatch): Promise<void> {
    this.#pending = projections.applyPatch(this.#pending, patch);
    return this.#append(journal, { id: randomUUID(), events: [], patch });
  }

  async #append(journal: Journal, commit: NewCommit): Promise<void> {
    const after = this.#pending;
    this.acknowledged.push(await journal.append(commit, after));
    this.fields = after;
  }
}

/** The ids of the commits that can be read, in order. */
export async function commitIds(reader: { commits(): AsyncIterable<Commit> }): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of reader.commits()) ids.push(id);
  return ids;
}
