import { randomUUID } from 'node:crypto';
import { initialFields, type StateFields } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit, ConversationStore, Journal, JournalReader, NewCommit } from '@conv/core/store';

/** Makes a user's message with this text. */
export function message(text: string): Event {
  return {
    id: randomUUID(),
    timestamp: '2026-01-01T00:00:00.000000',
    source: 'user',
    kind: 'MessageEvent',
    activated_skills: [],
    extended_content: [],
    llm_message: { role: 'user', content: [{ cache_prompt: false, type: 'text', text }], thinking_blocks: [] },
  } as Event;
}

/** Writes one conversation and keeps the acknowledged commits. */
export class Writer {
  readonly id: string;
  readonly acknowledged: Commit[] = [];
  journal: Journal;
  fields: StateFields;

  constructor(id: string, journal: Journal) {
    this.id = id;
    this.journal = journal;
    this.fields = { ...initialFields, id, createdAt: '2026-01-01T00:00:00.000Z' };
  }

  /** Makes a conversation and writes its first commit. */
  static async begin(store: ConversationStore, id: string = randomUUID()): Promise<Writer> {
    const writer = new Writer(id, await store.open(id, { create: 'must', owner: 'writer' }));
    await writer.append({ id: randomUUID(), events: [], patch: { set: writer.fields } });
    return writer;
  }

  /** Appends a message. */
  say(text: string): Promise<Commit> {
    return this.append({ id: randomUUID(), events: [message(text)] });
  }

  async append(commit: NewCommit): Promise<Commit> {
    const stored = await this.journal.append(commit, this.fields);
    this.acknowledged.push(stored);
    return stored;
  }
}

/** Resolves with the numbers and ids of the readable commits, in order. */
export async function readIds(reader: Pick<JournalReader, 'commits'>): Promise<string[]> {
  const found: string[] = [];
  for await (const commit of reader.commits()) found.push(nameOf(commit));
  return found;
}

/** Resolves with the numbers and ids of a stored conversation's readable commits, in order; none if it is missing. */
export async function storedIds(store: ConversationStore, id: string): Promise<string[]> {
  const reader = await store.read(id);
  if (!reader) return [];
  try {
    return await readIds(reader);
  } finally {
    await reader.close();
  }
}

/** Names a commit by its number and id. */
export function nameOf({ seq, id }: Commit): string {
  return `${seq} ${id}`;
}
