import { projections, type StateFields } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

/** Returns the stored fields of a conversation; `undefined` when the store does not have it. */
export async function readFields(store: ConversationStore, id: string): Promise<StateFields | undefined> {
  const reader = await store.read(id);
  if (!reader) return undefined;
  try {
    return (await projections.readState(reader)).fields;
  } finally {
    await reader.close();
  }
}
