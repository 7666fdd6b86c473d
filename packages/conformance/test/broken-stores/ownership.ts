import { isStoreError, type Journal, StoreError, toConversationId } from '@conv/core/store';
import { broken, without, type BrokenStore } from './broken-store.ts';
import { changeCommits } from './change-commits.ts';
import { alter } from '@conv/testing-harness';

export const brokenOwnership: readonly BrokenStore[] = [
  broken('create never rejects NOT_FOUND for a missing conversation and makes nothing', () => ({
    store: (store) => ({
      open: async (id, options) => {
        try {
          return await store.open(id, options);
        } catch (error) {
          if (isStoreError(error, 'NOT_FOUND')) await (await store.open(id, { owner: 'half-made' })).close();
          throw error;
        }
      },
    }),
  })),
  broken('create must rejects EXISTS for an existing conversation and changes nothing', () => ({
    store: (store) => ({
      open: (id, options) => store.open(id, options.create === 'must' ? { ...options, create: 'ifMissing' } : options),
    }),
  })),
  broken('create ifMissing opens an existing conversation', () => ({
    store: (store) => ({
      open: async (id, options) => {
        if (options.create === 'ifMissing') await store.delete(id);
        return store.open(id, options);
      },
    }),
  })),
  broken('open without create makes a missing conversation and opens an existing one', () => ({
    store: (store) => ({ open: (id, options) => store.open(id, { create: 'must', ...options }) }),
  })),
  broken('an id with dashes, without them and in capitals names one conversation', () => ({
    store: (store) => ({
      read: async (id) => {
        const reader = await store.read(id);
        return id === toConversationId(id) ? reader : undefined;
      },
    }),
  })),
  broken('an id in capitals or without dashes is known to list, fork and delete too', () => ({
    store: (store) => ({
      delete: async (id) => {
        // removes what has exactly this name
        if (id === toConversationId(id)) await store.delete(id);
      },
    }),
  })),
  broken('a second opener is refused with OWNED, with the name and the epoch of the owner', () => ({
    store: (store) => ({
      open: async (id, options) => {
        try {
          return await store.open(id, options);
        } catch (error) {
          if (!isStoreError(error, 'OWNED')) throw error;
          throw new StoreError('OWNED', `conversation ${id} is owned by someone`, { cause: error });
        }
      },
    }),
  })),
  broken('a second opener of the same name is refused with OWNED too', () => ({
    store: (store, { backend }) => ({
      open: async (id, options) => {
        try {
          return await store.open(id, options);
        } catch (error) {
          if (!isStoreError(error, 'OWNED') || error.owner?.owner !== options.owner) throw error;
          await backend.owners.get(toConversationId(id))?.fence();
          return store.open(id, options);
        }
      },
    }),
  })),
  broken('a refused opener may read, and the owner continues writing', () => {
    const refused = new Set<string>();
    return {
      store: (store) => ({
        open: async (id, options) => {
          try {
            return await store.open(id, options);
          } catch (error) {
            if (isStoreError(error, 'OWNED')) refused.add(id);
            throw error;
          }
        },
        read: async (id) => {
          const reader = await store.read(id);
          return refused.has(id) ? undefined : reader;
        },
      }),
    };
  }),
  broken('a refused opener may open when the owner has closed', () => {
    const refused = new Set<string>();
    return {
      store: (store) => ({
        open: async (id, options) => {
          const who = `${id} ${options.owner}`;
          if (refused.has(who)) throw new StoreError('OWNED', `conversation ${id}`);
          try {
            return await store.open(id, options);
          } catch (error) {
            if (isStoreError(error, 'OWNED')) refused.add(who);
            throw error;
          }
        },
      }),
    };
  }),
  broken('one of many concurrent openers gets the conversation, and all others OWNED', () => {
    let opening = 0;
    return {
      store: (store) => ({
        open: async (id, options) => {
          opening++;
          try {
            await Promise.resolve();
            if (opening > 4) throw new StoreError('UNAVAILABLE', `conversation ${id}: too many at once`);
            return await store.open(id, options);
          } finally {
            opening--;
          }
        },
      }),
    };
  }),
  broken('every opening has a greater epoch than all before', () => ({ journal: () => ({ epoch: 1 }) })),
  broken('another store object on the same backend is refused with OWNED too', () => ({
    store: (store, { connection, backend }) => ({
      open: async (id, options) => {
        const owner = backend.owners.get(id);
        if (owner && owner.connection < connection) await owner.fence();
        return store.open(id, options);
      },
    }),
  })),
  broken('an append of an owner that was taken over rejects FENCED', () => ({
    journal: (journal) => ({
      append: (commit, after) =>
        journal.append(commit, after).catch((error: unknown) => {
          if (isStoreError(error, 'FENCED')) throw new StoreError('UNAVAILABLE', 'try again', { cause: error });
          throw error;
        }),
    }),
  })),
  broken('an owner that was taken over finds its journal lost when it appends', () => ({
    journal: () => ({ lost: new AbortController().signal }),
  })),
  broken('no append of an owner that was taken over is stored', () => ({
    journal: (journal, { id, backend }) => ({
      append: async (commit, after) => {
        const next = backend.owners.get(id)?.journal;
        if (journal.lost.aborted && next && next.epoch > journal.epoch) await next.append(commit, after);
        return journal.append(commit, after);
      },
    }),
  })),
  broken('closing a journal that was taken over leaves the new owner alone', () => ({
    journal: (journal, { id, backend }) => ({
      close: async () => {
        await journal.close();
        const next = backend.owners.get(id)?.journal;
        if (journal.lost.aborted && next && next.epoch > journal.epoch) await next.close();
      },
    }),
  })),
  broken('every acknowledged commit is there after every takeover', () => {
    let takeovers = 0;
    return {
      store: (store) => ({
        open: async (id, options) => {
          const journal = await store.open(id, options);
          takeovers = options.owner === 'usurper' ? takeovers + 1 : 0;
          return takeovers > 2 ? withoutLast(journal) : journal;
        },
      }),
    };
  }),
  broken('a takeover finds the whole last commit: events, patch and call records', () => ({
    store: (store) => ({
      open: async (id, options) => {
        const journal = await store.open(id, options);
        if (options.owner !== 'usurper') return journal;
        const last = journal.end.seq - 1;
        return alter(
          journal,
          changeCommits(journal, (commit) => (commit.seq === last ? without(commit, 'records') : commit)),
        );
      },
    }),
  })),
  broken('opening and closing cost as many requests after hundreds of openings as at first', () => {
    let openings = 0;
    return {
      store: (store, { backend }) => ({
        open: async (id, options) => {
          // the key of every earlier owner is read
          backend.requests += openings++;
          return store.open(id, options);
        },
      }),
    };
  }),
];

function withoutLast(journal: Journal): Journal {
  const last = journal.end.seq - 1;
  return alter(
    journal,
    changeCommits(journal, (commit) => (commit.seq === last ? undefined : commit)),
  );
}
