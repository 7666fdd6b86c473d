import { type CommitRange, isStoreError, type JournalReader, StoreError } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';
import { shareMemory, SharedBackend } from './shared-store.ts';

export const brokenLifetime: readonly BrokenStore[] = [
  broken('open with an aborted signal rejects with its reason and makes nothing', () => ({
    store: (store) => ({
      open: async (id, options) => {
        if (options.signal?.aborted)
          throw new StoreError('UNAVAILABLE', `conversation ${id}`, { cause: options.signal.reason });
        return store.open(id, options);
      },
    }),
  })),
  broken('open that is aborted on its way leaves the conversation to the next opener', () => ({
    store: (store) => ({
      open: async (id, options) => {
        const journal = await store.open(id, options);
        options.signal?.throwIfAborted();
        return journal;
      },
    }),
  })),
  broken('aborting the signal of open later does nothing to the journal', () => ({
    store: (store) => ({
      open: async (id, options) => {
        const journal = await store.open(id, options);
        options.signal?.addEventListener('abort', () => void journal.close(), { once: true });
        return journal;
      },
    }),
  })),
  broken('a closed journal stores nothing and rejects CLOSED', () => ({
    journal: (journal) => ({ refresh: () => refreshAnyway(journal) }),
  })),
  broken('a closed reader rejects CLOSED', () => ({ reader: (reader) => ({ refresh: () => refreshAnyway(reader) }) })),
  broken('a closed store rejects CLOSED', () => ({
    store: (store) => ({
      list: (query) =>
        store.list(query).catch((error: unknown) => {
          if (isStoreError(error, 'CLOSED')) return { items: [] };
          throw error;
        }),
    }),
  })),
  broken('closing a store closes its journals', () => {
    let storeClosed = false;
    return {
      store: (store) => ({
        close: async () => {
          storeClosed = true;
          await store.close();
        },
      }),
      journal: (journal) => ({
        append: (commit, after) =>
          storeClosed ? Promise.reject(new StoreError('UNAVAILABLE', 'no connection')) : journal.append(commit, after),
      }),
    };
  }),
  broken('closing a store closes its readers', () => {
    let storeClosed = false;
    return {
      store: (store) => ({
        close: async () => {
          storeClosed = true;
          await store.close();
        },
      }),
      reader: (reader) => {
        // A reader of another store object, opened later, works.
        const isLater = storeClosed;
        return {
          async *commits(range?: CommitRange) {
            if (!storeClosed || isLater) yield* reader.commits(range);
          },
        };
      },
    };
  }),
  broken('closing a store gives up what it owned', () => ({
    store: (store, { connection, backend }) => ({
      close: async () => {
        const owned = [...backend.owners].filter(([, owner]) => owner.connection === connection);
        await store.close();
        for (const [id] of owned) await backend.memory.open(id, { create: 'never', owner: 'ghost' });
      },
    }),
  })),
  broken('closing twice has the effect of closing once', () => ({
    reader: (reader) => {
      let closed = false;
      return {
        close: async () => {
          if (closed) throw new StoreError('CLOSED', 'reader');
          closed = true;
          await reader.close();
        },
      };
    },
  })),
  broken('closing an old journal again leaves the next owner alone', () => ({
    journal: (journal, { id, backend }) => {
      let closed = false;
      return {
        close: async () => {
          await (closed ? backend.owners.get(id)?.journal.close() : journal.close());
          closed = true;
        },
      };
    },
  })),
  broken('another store object on the same backend sees the written commits', () => {
    const seen = new Map<string, number>();
    return {
      reader: (reader, { id, connection }) => {
        if (connection === 0) return {};
        const shown = seen.get(id) ?? reader.end.seq;
        seen.set(id, shown);
        return {
          async *commits(range?: CommitRange) {
            for await (const commit of reader.commits(range)) if (commit.seq < shown) yield commit;
          },
        };
      },
    };
  }),
  { caughtBy: 'two stores of the harness have nothing in common', make: makeWithMemory() },
  broken('an error says its code first and then the conversation that it is about', () => ({
    store: (store) => ({
      open: (id, options) =>
        store.open(id, options).catch((error: unknown) => {
          if (isStoreError(error, 'NOT_FOUND'))
            throw new StoreError('NOT_FOUND', 'no such conversation', { cause: error });
          throw error;
        }),
    }),
  })),
];

async function refreshAnyway(reader: JournalReader): ReturnType<JournalReader['refresh']> {
  try {
    return await reader.refresh();
  } catch (error) {
    if (!isStoreError(error, 'CLOSED')) throw error;
    return reader.end;
  }
}

/** Backends that are made while another one is in use are the same one. */
function makeWithMemory(): BrokenStore['make'] {
  let inUse = 0;
  let backend = new SharedBackend();
  return async () => {
    if (inUse++ === 0) backend = new SharedBackend();
    const under = shareMemory({}, backend);
    return {
      ...under,
      dispose: async () => {
        inUse--;
        await under.dispose();
      },
    };
  };
}
