import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type Commit, type ConversationStore, type Journal } from '@conv/core/store';

/** The conversation that is copied. */
export const ID = '00000000-0000-4000-8000-000000000001';

/** Makes a store with a conversation of this number of messages, which stays open. */
export async function spoken(
  messages: number,
): Promise<{ store: MemoryStore; state: ConversationState; journal: Journal }> {
  const store = new MemoryStore();
  const journal = await store.open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  for (let at = 0; at < messages; at++) await state.append([userMessage(`message ${at}`)]);
  return { store, journal, state };
}

/** Resolves with the commits of a conversation; none if it is not there. */
export async function commitsOf(store: ConversationStore, id = ID): Promise<readonly Commit[]> {
  const reader = await store.read(id);
  return reader ? Array.fromAsync(reader.commits()) : [];
}

/** Returns a store with changed journals and readers. */
export function changed(store: MemoryStore, change: (journal: Journal) => Journal): ConversationStore {
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'open') return async (...open: Parameters<MemoryStore['open']>) => change(await target.open(...open));
      if (key === 'read')
        return async (id: string) => {
          const reader = await target.read(id);
          return reader && change(reader as Journal);
        };
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
