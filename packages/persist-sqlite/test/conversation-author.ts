import { randomUUID } from 'node:crypto';
import { applyPatch, initialFields, type StateFields, type StatePatch } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit, Journal, NewCommit } from '@conv/core/store';

let clock = Date.UTC(2026, 0, 1);

/** Makes a user's message that follows `parent`. */
export function message(text: string, parent: string | null): Event {
  return {
    id: randomUUID(),
    timestamp: new Date(clock++).toISOString().replace('Z', '000'),
    source: 'user',
    kind: 'MessageEvent',
    activated_skills: [],
    extended_content: [],
    llm_message: { role: 'user', content: [{ cache_prompt: false, type: 'text', text }], thinking_blocks: [] },
    ...(parent === null ? {} : { parent_id: parent }),
  } as Event;
}

/** Writes one conversation and keeps the acknowledged commits. */
export class Author {
  readonly id: string = randomUUID();
  readonly acknowledged: Commit[] = [];
  fields: StateFields = { ...initialFields, id: this.id, createdAt: '2026-01-01T00:00:00.000Z' };

  /** Appends the first commit of a conversation. */
  begin(journal: Journal): Promise<Commit> {
    return this.#append(journal, { id: randomUUID(), events: [], patch: { set: this.fields } });
  }

  /** Appends messages in one commit. */
  say(journal: Journal, ...texts: readonly string[]): Promise<Commit> {
    const events: Event[] = [];
    for (const text of texts) {
      const event = message(text, this.fields.leafEventId);
      this.fields = { ...this.fields, leafEventId: event.id, lastUserMessageId: event.id };
      events.push(event);
    }
    return this.#append(journal, { id: randomUUID(), events });
  }

  /** Appends a change of the state. */
  change(journal: Journal, patch: StatePatch): Promise<Commit> {
    this.fields = applyPatch(this.fields, patch);
    return this.#append(journal, { id: randomUUID(), events: [], patch });
  }

  get ids(): readonly string[] {
    return this.acknowledged.map(({ id }) => id);
  }

  async #append(journal: Journal, commit: NewCommit): Promise<Commit> {
    const stored = await journal.append(commit, this.fields);
    this.acknowledged.push(stored);
    return stored;
  }
}

/** Resolves with the ids of the readable commits, in order. */
export async function commitIds(reader: { commits(): AsyncIterable<Commit> }): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of reader.commits()) ids.push(id);
  return ids;
}
