import type { ConversationStore } from '@conv/core/store';

/** The store for one of many users of it: closing it leaves it open for the others. */
export function borrowed(store: ConversationStore): ConversationStore {
  return {
    features: store.features,
    open: (id, options) => store.open(id, options),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    fork: (id, newId, options) => store.fork(id, newId, options),
    delete: (id) => store.delete(id),
    check: (id, options) => store.check(id, options),
    close: async () => {},
  };
}
