import { type CommitRange, type ConversationSummary, type Snapshot, StoreError } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';

export const brokenDeleting: readonly BrokenStore[] = [
  broken('a deleted conversation is gone, and all others stay', () => {
    let deleted = false;
    return {
      store: (store) => ({
        delete: async (id) => {
          await store.delete(id);
          deleted = true;
        },
        read: async (id) => {
          const reader = await store.read(id);
          // what looks empty is taken for the rest of a deletion
          return deleted && reader?.end.event === 0 ? undefined : reader;
        },
      }),
    };
  }),
  broken('a deleted conversation is no longer listed', () => {
    const stale: ConversationSummary[] = [];
    return {
      store: (store) => ({
        delete: async (id) => {
          const { items } = await store.list({ limit: 100 });
          stale.push(...items.filter((item) => item.id === id));
          await store.delete(id);
        },
        list: async (query = {}) => {
          const page = await store.list(query);
          return query.page === undefined ? { ...page, items: [...page.items, ...stale] } : page;
        },
      }),
    };
  }),
  broken('deleting a missing or deleted conversation resolves', () => {
    const deleted = new Set<string>();
    return {
      store: (store) => ({
        delete: async (id) => {
          await store.delete(id);
          if (deleted.has(id)) throw new StoreError('NOT_FOUND', `conversation ${id}`);
          deleted.add(id);
        },
      }),
    };
  }),
  broken('a conversation created again under the id of a deleted one starts with nothing', () => {
    const snapshots = new Map<string, Snapshot>();
    return {
      journal: (journal, { id }) => ({
        saveSnapshot: async (snapshot) => {
          await journal.saveSnapshot(snapshot);
          snapshots.set(id, snapshot);
        },
        snapshot: async () => {
          const stored = await journal.snapshot();
          const kept = snapshots.get(id);
          return stored ?? (kept && kept.seq <= journal.end.seq ? kept : undefined);
        },
      }),
    };
  }),
  broken('a closed journal of a deleted conversation brings nothing back', () => {
    const deleted = new Set<string>();
    return {
      store: (store) => ({
        delete: async (id) => {
          await store.delete(id);
          deleted.add(id);
        },
      }),
      journal: (journal, { id, backend }) => ({
        append: async (commit, after) => {
          if (deleted.has(id) && !journal.lost.aborted && !backend.owners.has(id))
            await (await backend.memory.open(id, { owner: 'late' })).append(commit, after);
          return journal.append(commit, after);
        },
      }),
    };
  }),
  broken('deleting a conversation of another owner rejects OWNED, and the owner continues', () => ({
    store: (store, { connection, backend }) => ({
      delete: async (id) => {
        const owner = backend.owners.get(id);
        if (owner && owner.connection !== connection) await owner.fence();
        await store.delete(id);
      },
    }),
  })),
  broken('a stale owner does not bring a deleted conversation back', () => {
    const deleted = new Set<string>();
    return {
      store: (store) => ({
        delete: async (id) => {
          await store.delete(id);
          deleted.add(id);
        },
      }),
      journal: (journal, { id, backend }) => ({
        append: async (commit, after) => {
          if (deleted.has(id) && journal.lost.aborted && !backend.owners.has(id))
            await (await backend.memory.open(id, { owner: 'late' })).append(commit, after);
          return journal.append(commit, after);
        },
      }),
    };
  }),
  broken('a reader of a deleted conversation shows nothing of a new one with its id', () => ({
    reader: (reader, { id, backend }) => ({
      async *commits(range?: CommitRange) {
        await reader.refresh();
        // it looks the log up by its name each time
        const named = (await backend.memory.read(id)) ?? reader;
        yield* named.commits(range);
      },
    }),
  })),
  broken('an owner from before a deletion is fenced off from a new conversation with the id', () => {
    const deleted = new Set<string>();
    return {
      store: (store) => ({
        delete: async (id) => {
          await store.delete(id);
          deleted.add(id);
        },
      }),
      journal: (journal, { id, backend }) => ({
        append: async (commit, after) => {
          const owner = backend.owners.get(id)?.journal;
          // epochs start again, so that the number of the earlier owner is right again
          if (deleted.has(id) && journal.lost.aborted && owner) return owner.append(commit, after);
          return journal.append(commit, after);
        },
      }),
    };
  }),
];
