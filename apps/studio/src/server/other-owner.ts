import { hostname } from 'node:os';
import { type ConversationStore, isStoreError } from '@conv/core/store';

/** The name under which conversations of this process are owned. */
const OWN = `pid ${process.pid} on ${hostname()}`;

/**
 * Resolves with the name of the other process that writes a conversation; `null` if none does, or it cannot be opened. Claims it
 * for a moment, because a store names an owner only to a second one. No run goes on by that.
 */
export async function otherOwner(store: ConversationStore, id: string): Promise<string | null> {
  try {
    const journal = await store.open(id, { owner: OWN, create: 'never' });
    await journal.close();
    return null;
  } catch (error) {
    if (!isStoreError(error)) throw error;
    // the opening of the conversation reports any other error
    if (error.code !== 'OWNED') return null;
    const name = error.owner?.owner ?? 'another process';
    return name === OWN ? null : name;
  }
}
