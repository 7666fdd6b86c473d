import {
  type ConversationSummary,
  isStoreError,
  type ListQuery,
  type Snapshot,
  StoreError,
  toConversationId,
} from '@conv/core/store';
import { alter } from '@conv/testing-harness';
import { subtle, type SubtleStore } from './subtle-store.ts';

/** Changes each line of a list. */
function listing(
  description: string,
  change: (item: ConversationSummary, query: ListQuery) => ConversationSummary | undefined,
): SubtleStore {
  return subtle(description, () => ({
    store: (store) => ({
      list: async (query = {}) => {
        const page = await store.list(query);
        return { ...page, items: page.items.flatMap((item) => change(item, query) ?? []) };
      },
    }),
  }));
}

export const subtleOwning: readonly SubtleStore[] = [
  subtle('gives the same epoch to every opening by one name', () => {
    const epochs = new Map<string, number>();
    return {
      store: (store) => ({
        open: async (id, options) => {
          const journal = await store.open(id, options);
          const epoch = epochs.get(`${id} ${options.owner}`) ?? journal.epoch;
          epochs.set(`${id} ${options.owner}`, epoch);
          return alter(journal, { epoch });
        },
      }),
    };
  }),
  subtle('names the owner without its epoch', () => ({
    store: (store) => ({
      open: async (id, options) =>
        store.open(id, options).catch((error: unknown) => {
          if (!isStoreError(error, 'OWNED')) throw error;
          const owner = { owner: error.owner?.owner ?? '', epoch: 0 };
          throw new StoreError('OWNED', `conversation ${toConversationId(id)} is owned`, { owner });
        }),
    }),
  })),
  subtle('never aborts the signal of a journal that was taken over', () => ({
    journal: () => ({ lost: new AbortController().signal }),
  })),
  subtle('stores what a fenced owner appends', () => ({
    journal: (journal, { id, backend }) => ({
      append: async (commit, after) =>
        journal.append(commit, after).catch(async (error: unknown) => {
          await backend.owners.get(id)?.journal.append(commit, after);
          throw error;
        }),
    }),
  })),
  subtle('frees a conversation when a journal is closed that was taken over', () => ({
    journal: (journal, { id, backend }) => ({
      close: async () => {
        if (journal.lost.aborted) await backend.owners.get(id)?.fence();
        await journal.close();
      },
    }),
  })),
  subtle('keeps the ownership of an opening that was aborted', () => ({
    store: (store) => ({
      open: async (id, options) => {
        if (options.signal?.aborted) await store.open(id, { ...options, signal: new AbortController().signal });
        return store.open(id, options);
      },
    }),
  })),
  subtle('makes a conversation for a reader', () => ({
    store: (store) => ({
      read: async (id) => {
        const known = await store.read(id);
        if (known) return known;
        await (await store.open(id, { owner: 'reader' })).close();
        return store.read(id);
      },
    }),
  })),
  subtle('keeps the snapshot of what was deleted', () => {
    const snapshots = new Map<string, Snapshot>();
    return {
      journal: (journal, { id }) => ({
        saveSnapshot: async (snapshot) => {
          snapshots.set(id, snapshot);
          await journal.saveSnapshot(snapshot);
        },
        snapshot: async () => {
          const kept = (await journal.snapshot()) ?? snapshots.get(id);
          return kept && kept.seq <= journal.end.seq + 2 ? kept : undefined;
        },
      }),
    };
  }),
  subtle('deletes what another store object owns', () => ({
    store: (store, { backend }) => ({
      delete: async (id) => {
        await backend.owners.get(toConversationId(id))?.fence();
        await store.delete(id);
      },
    }),
  })),
  subtle('copies all branches into a fork from an event', () => ({
    store: (store) => ({ fork: async (id, newId, { patch }) => store.fork(id, newId, { patch }) }),
  })),
  subtle('makes a fork before it looks for its event', () => ({
    store: (store) => ({
      fork: async (id, newId, options) =>
        store.fork(id, newId, options).catch(async (error: unknown) => {
          if (isStoreError(error, 'NOT_FOUND') && options.from !== undefined)
            await store.fork(id, newId, { patch: options.patch });
          throw error;
        }),
    }),
  })),
  subtle('forgets the patch of a fork', () => ({
    store: (store) => ({ fork: async (id, newId, options) => store.fork(id, newId, { ...options, patch: {} }) }),
  })),
  subtle('lists what its own store object has opened alone', () => {
    const known = new Map<number, Set<string>>();
    return {
      store: (store, { connection }) => ({
        open: async (id, options) => {
          known.set(connection, (known.get(connection) ?? new Set()).add(toConversationId(id)));
          return store.open(id, options);
        },
        list: async (query) => {
          const page = await store.list(query);
          return { ...page, items: page.items.filter(({ id }) => known.get(connection)?.has(id)) };
        },
      }),
    };
  }),
  listing('lists a title of nothing for none', (item) => ({ ...item, title: item.title ?? '' })),
  listing('forgets tags in lists', (item) => ({ ...item, tags: {} })),
  listing('forgets parents in lists', (item) => ({ ...item, parentId: null })),
  listing('lists times in the zone of the machine', (item) => ({ ...item, updatedAt: item.updatedAt.slice(0, -1) })),
  subtle('filters by the beginning of a status', () => ({
    store: (store) => ({
      list: async (query = {}) => {
        const { status, ...rest } = query;
        const page = await store.list(rest);
        return { ...page, items: page.items.filter((item) => item.status.startsWith(status ?? '')) };
      },
    }),
  })),
  subtle('leaves readers open when the store is closed', () => ({
    store: (store, { backend }) => ({
      read: async (id) => {
        const reader = await store.read(id);
        return reader && backend.memory.read(id);
      },
    }),
  })),
  subtle('takes a page without items for the last one', () => ({
    store: (store) => ({
      list: async (query = {}) => {
        const page = await store.list(query);
        return query.status === undefined ? { items: page.items.slice(0, query.limit ?? 20) } : page;
      },
    }),
  })),
];
