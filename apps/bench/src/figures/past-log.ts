import { randomUUID } from 'node:crypto';

import { ConversationState, initialFields, projections } from '@conv/core';
import type { ConversationStore, JournalReader } from '@conv/core/store';
import { PastStates, readOnlyJournal } from '@conv/local';

import { kilobyteEvent } from '../place.ts';

/** Events of a region: the first look at one of them is not counted. */
export const REGION = 1000;

const IN_FLIGHT = 256;

/** Resolves with the past of a log that is read. */
export async function pastOf(reader: JournalReader): Promise<PastStates> {
  return new PastStates(new ConversationState({}, readOnlyJournal(reader), await projections.readState(reader)));
}

/** Resolves with the id of a conversation of `size` commits with an event each. */
export async function singly(store: ConversationStore, size: number): Promise<string> {
  const id = randomUUID();
  await (await ConversationState.open(await store.open(id, { owner: 'bench' }), { id })).close();
  const journal = await store.open(id, { owner: 'bench', create: 'never' });
  let parent: string | null = null;
  let flying: Promise<unknown>[] = [];
  for (let count = 0; count < size; count++) {
    const event = kilobyteEvent(parent);
    parent = event.id;
    flying.push(journal.append({ id: randomUUID(), events: [event] }, { ...initialFields, leafEventId: parent }));
    if (flying.length < IN_FLIGHT) continue;
    await Promise.all(flying);
    flying = [];
  }
  await Promise.all(flying);
  await journal.close();
  return id;
}
