import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ConversationState, initialFields } from '@conv/core';
import { drafts, stampEvent, userMessage, type Event } from '@conv/core/events';
import type { ConversationStore, Journal } from '@conv/core/store';
import { FsStore, type Disk, type MirrorMode } from '@conv/persist-fs';

/** A folder for one measurement, removed with everything in it. */
export class Place implements AsyncDisposable {
  readonly directory: string = mkdtempSync(join(tmpdir(), 'conv-bench-'));
  readonly #stores: FsStore[] = [];

  store(options: { mirror?: MirrorMode; disk?: Disk } = {}): FsStore {
    const store = new FsStore({ directory: this.directory, ...options });
    this.#stores.push(store);
    return store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const EVENTS_PER_COMMIT = 500;
const TEXT = 'x'.repeat(640);

/** An event of about 1 KB as a line of JSON. */
export function kilobyteEvent(parentId: string | null): Event {
  const draft = userMessage(TEXT, { sender: 'y'.repeat(60) });
  return stampEvent(draft, { id: randomUUID(), timestamp: '2026-01-01T00:00:00.000000', parentId });
}

/** Appends events of about 1 KB until there are `count`; returns the id of the last. */
export async function fill(journal: Journal, count: number): Promise<string | null> {
  let parent: string | null = null;
  while (journal.end.event < count) {
    const events: Event[] = [];
    const wanted = Math.min(EVENTS_PER_COMMIT, count - journal.end.event);
    while (events.length < wanted) {
      const event = kilobyteEvent(parent);
      parent = event.id;
      events.push(event);
    }
    await journal.append({ id: randomUUID(), events }, { ...initialFields, leafEventId: parent });
  }
  return parent;
}

/** A conversation with `count` events of about 1 KB: its id. */
export async function makeConversation(store: FsStore, count: number): Promise<string> {
  const id = randomUUID();
  const state = await ConversationState.open(await store.open(id, { owner: 'bench' }), { id });
  await state.append([drafts.pause()]);
  await state.close();
  const journal = await store.open(id, { owner: 'bench', create: 'never' });
  await fill(journal, count);
  await journal.close();
  const reopened = await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }));
  await reopened.close();
  return id;
}

/** A conversation with `size` events of about 1 KB that a server can go on with, closed as a server closes one: its id. */
export async function servedConversation(
  store: ConversationStore,
  { directory, size }: { readonly directory: string; readonly size: number },
): Promise<string> {
  const id = randomUUID();
  const workspace = { kind: 'LocalWorkspace', workingDir: directory };
  const agent = { kind: 'Agent', llm: { model: 'none' }, tools: [] };
  await (await ConversationState.open(await store.open(id, { owner: 'bench' }), { id, agent, workspace })).close();
  const journal = await store.open(id, { owner: 'bench', create: 'never' });
  await fill(journal, size);
  await journal.close();
  // a snapshot, as a server leaves one behind
  await (await ConversationState.open(await store.open(id, { owner: 'bench', create: 'never' }))).close();
  return id;
}
