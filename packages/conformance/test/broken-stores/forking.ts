import { foldJournal, type StateFields } from '@conv/core';
import { type ConversationStore, isStoreError, type JournalReader, StoreError, toCommitSeq } from '@conv/core/store';
import { broken, without, type BrokenStore } from './broken-store.ts';
import { changeCommits } from './change-commits.ts';

export const brokenForking: readonly BrokenStore[] = [
  broken('a fork has the events of its source with ids, parents and numbers', () => ({
    store: (store) => ({
      fork: async (id, newId, options) => {
        const head = options.from ?? (await endOfSecondBranch(store, id));
        await store.fork(id, newId, { ...options, ...(head === undefined ? {} : { from: head }) });
      },
    }),
  })),
  broken('a fork has the state of its source, changed by its own patch', () => ({
    store: (store) => ({
      fork: (id, newId, options) => store.fork(id, newId, { ...options, patch: without(options.patch, 'unset') }),
    }),
  })),
  broken('a fork from an event has the path to it and nothing else, numbered from 0', () => ({
    store: (store) => ({
      fork: async (id, newId, { patch, ...options }) => {
        await store.fork(id, newId, { patch, ...options });
        if (options.from === undefined) return;
        await store.delete(newId);
        await store.fork(id, newId, { patch });
      },
    }),
  })),
  broken('a fork from an event is no less strict: it has the current policy, analyzer and limits', () => ({
    store: (store) => ({
      fork: (id, newId, { patch, ...options }) => {
        const lax = { ...patch, set: { ...patch.set, confirmationPolicy: { kind: 'NeverConfirm' } as const } };
        return store.fork(id, newId, { ...options, patch: options.from === undefined ? patch : lax });
      },
    }),
  })),
  broken('a fork keeps the call records of its source', () => {
    const forks = new Set<string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          forks.add(newId);
        },
      }),
      reading: (reader, { id }) => (forks.has(id) ? changeCommits(reader, (commit) => without(commit, 'records')) : {}),
    };
  }),
  broken('a snapshot of the source never shows in its fork', () => {
    const sources = new Map<string, string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          sources.set(newId, id);
        },
      }),
      reading: (reader, { id, backend }) => ({
        snapshot: async () => {
          const source = sources.get(id);
          const of = source === undefined ? undefined : await backend.memory.read(source);
          return (await reader.snapshot()) ?? of?.snapshot();
        },
      }),
    };
  }),
  broken('forking to an id that is taken rejects EXISTS and changes nothing', () => ({
    store: (store) => ({
      fork: async (id, newId, options) => {
        await store.delete(newId);
        await store.fork(id, newId, options);
      },
    }),
  })),
  broken('forking a missing conversation rejects NOT_FOUND and makes nothing', () => ({
    store: (store) => ({
      fork: async (id, newId, options) => {
        const source = await store.read(id);
        if (source) return store.fork(id, newId, options);
        await (await store.open(newId, { create: 'must', owner: 'fork' })).close();
      },
    }),
  })),
  broken('forking from a missing event rejects NOT_FOUND and makes nothing', () => ({
    store: (store) => ({
      fork: async (id, newId, options) => {
        try {
          await store.fork(id, newId, options);
        } catch (error) {
          if (isStoreError(error, 'NOT_FOUND') && options.from !== undefined)
            await store.fork(id, newId, { patch: options.patch });
          throw error;
        }
      },
    }),
  })),
  broken('deleting the source of a fork does not harm the fork', () => {
    const forks = new Map<string, string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          forks.set(id, newId);
        },
        delete: async (id) => {
          await store.delete(id);
          const fork = forks.get(id);
          if (fork !== undefined) await store.delete(fork);
        },
      }),
    };
  }),
  broken('deleting a fork does not harm its source', () => {
    const sources = new Map<string, string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          sources.set(newId, id);
        },
        delete: async (id) => {
          await store.delete(id);
          const source = sources.get(id);
          if (source !== undefined) await store.delete(source);
        },
      }),
    };
  }),
  broken('appends to a fork do not show in its source, nor the reverse', () => {
    const sources = new Map<string, string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          sources.set(newId, id);
        },
      }),
      journal: (journal, { id, backend }) => ({
        append: async (commit, after) => {
          const source = sources.get(id);
          if (source !== undefined) await backend.owners.get(source)?.journal.append(commit, after);
          return journal.append(commit, after);
        },
      }),
    };
  }),
  broken('a conversation can be forked while it is written', () => ({
    store: (store, { backend }) => ({
      fork: async (id, newId, options) => {
        if (backend.owners.has(id)) throw new StoreError('OWNED', `conversation ${id}`);
        await store.fork(id, newId, options);
      },
    }),
  })),
  broken('a fork is listed with the values of its patch', () => {
    const forks = new Set<string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          await store.fork(id, newId, options);
          forks.add(newId);
        },
        list: async (query) => {
          const page = await store.list(query);
          return { ...page, items: page.items.map((item) => (forks.has(item.id) ? { ...item, title: null } : item)) };
        },
      }),
    };
  }),
  broken('a fork can be forked', () => {
    const forks = new Set<string>();
    return {
      store: (store) => ({
        fork: async (id, newId, options) => {
          if (forks.has(id)) throw new StoreError('UNSUPPORTED', `conversation ${id} is a fork`);
          await store.fork(id, newId, options);
          forks.add(newId);
        },
      }),
    };
  }),
  broken('values that an owner re-encrypted are what readers, the next owner and every fork have', () => ({
    store: (store) => ({
      fork: async (id, newId, { patch, ...options }) => {
        const first = options.from === undefined ? undefined : await firstSecrets(store, id);
        await store.fork(id, newId, { ...options, patch: { ...patch, set: { ...patch.set, ...first } } });
      },
    }),
  })),
];

/** The end of the branch that HEAD is on, if the conversation has more than one. */
async function endOfSecondBranch(store: ConversationStore, id: string): Promise<string | undefined> {
  const reader: JournalReader | undefined = await store.read(id);
  if (!reader) return undefined;
  const commits = await Array.fromAsync(reader.commits());
  const parents = commits.flatMap(({ events }) => events.map(({ parent_id: parent }) => parent));
  if (new Set(parents).size === parents.length) return undefined;
  return (await foldJournal(reader)).fields.leafEventId ?? undefined;
}

/** The secrets of the first commit. */
async function firstSecrets(store: ConversationStore, id: string): Promise<Partial<StateFields>> {
  const reader: JournalReader | undefined = await store.read(id);
  if (!reader) return {};
  const [first] = await Array.fromAsync(reader.commits({ to: toCommitSeq(1) }));
  const { secretRegistry } = first?.patch?.set ?? {};
  return secretRegistry === undefined ? {} : { secretRegistry };
}
