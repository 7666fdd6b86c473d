import type { ConversationStore } from '@conv/core/store';

/** Returns a store that does not close `store` when it is closed, because others use it too. */
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
