import { initialFields } from '@conv/core';
import { eventGuards } from '@conv/core/events';
import { type Commit, type CommitRange, isStoreError, StoreError } from '@conv/core/store';
import { broken, without, type BrokenStore } from './broken-store.ts';
import { changeCommits } from './change-commits.ts';
import { bytesOf, MAX_COMMIT_BYTES } from './shared-store.ts';

export const brokenWriting: readonly BrokenStore[] = [
  broken('a commit reads back as it was appended: events, all parts of its patch, and call records', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => {
        const removes = commit.patch?.unset && !commit.patch.add && !commit.patch.set;
        return removes ? without(commit, 'patch') : commit;
      }),
  })),
  broken('append resolves with the commit as it is stored: its number, its first event, its epoch', () => ({
    journal: (journal) => ({
      append: async (commit, after) => ({ ...(await journal.append(commit, after)), epoch: 0 }),
    }),
  })),
  broken('appends in flight together become commits in the order of the calls', () => ({
    journal: (journal) => {
      let inFlight = 0;
      return {
        append: async (commit, after) => {
          inFlight++;
          try {
            if (inFlight === 6 && commit.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
            else if (inFlight > 6) await Promise.resolve();
            return await journal.append(commit, after);
          } finally {
            inFlight--;
          }
        },
      };
    },
  })),
  broken('a commit may hold many events, and a commit without events adds none', () => ({
    reading: (reader) => changeCommits(reader, (commit) => ({ ...commit, events: commit.events.slice(0, 512) })),
  })),
  broken('unknown kinds and unknown fields read back as they were written', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => ({ ...commit, events: commit.events.filter(eventGuards.isKnownEvent) })),
  })),
  broken('text of any kind reads back as it was written', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => JSON.parse(JSON.stringify(commit).normalize('NFC')) as Commit),
  })),
  broken('a patch of fields that this version does not know reads back as it was written', () => ({
    reading: (reader) =>
      changeCommits(reader, ({ patch, ...commit }) => {
        if (!patch?.set) return patch ? { ...commit, patch } : commit;
        const known = Object.entries(patch.set).filter(([key]) => key in initialFields);
        return { ...commit, patch: { ...patch, set: Object.fromEntries(known) } };
      }),
  })),
  broken('a commit just below maxCommitBytes is stored', () => ({
    journal: (journal) => ({
      append: async (commit, after) => {
        const bytes = bytesOf(commit);
        if (bytes > 1_000_000 && bytes <= MAX_COMMIT_BYTES)
          throw new StoreError('TOO_LARGE', 'a megabyte is not a mebibyte');
        return journal.append(commit, after);
      },
    }),
  })),
  broken('a commit above maxCommitBytes rejects TOO_LARGE, is not stored, and the journal continues', () => ({
    journal: (journal) => {
      let failed: unknown;
      return {
        append: async (commit, after) => {
          if (failed !== undefined && !commit.patch)
            throw new StoreError('UNAVAILABLE', 'the journal failed before', { cause: failed });
          try {
            return await journal.append(commit, after);
          } catch (error) {
            if (isStoreError(error, 'TOO_LARGE')) failed = error;
            throw error;
          }
        },
      };
    },
  })),
  broken('appends before a reported refusal are refused too, because they build on the refused commit', () => ({
    journal: (journal) => ({
      append: (commit, after) =>
        journal.append(commit, after).catch((error: unknown) => {
          if (bytesOf(commit) <= MAX_COMMIT_BYTES && isStoreError(error, 'TOO_LARGE'))
            return journal.append(commit, after);
          throw error;
        }),
    }),
  })),
  broken('a commit after a refused one is stored whole: events, patch and call records', () => ({
    journal: (journal) => {
      let refused = false;
      return {
        append: async (commit, after) => {
          try {
            const stored = await journal.append(refused ? without(commit, 'patch') : commit, after);
            refused = false;
            return stored;
          } catch (error) {
            refused ||= isStoreError(error, 'TOO_LARGE');
            throw error;
          }
        },
      };
    },
  })),
  broken('a log of thousands of commits reads back, from the start and from anywhere', () => ({
    reading: (reader) => ({
      async *commits(range?: CommitRange) {
        // a list of objects is taken for complete after its second page
        let found = 0;
        for await (const commit of reader.commits(range)) if (found++ < 2000) yield commit;
      },
    }),
  })),
  broken('conversations that are written at the same time do not mix', () => {
    let buffered: { readonly id: string; readonly events: Commit['events'] } | undefined;
    return {
      journal: (journal, { id }) => ({
        append: (commit, after) => {
          const mixed = buffered && buffered.id !== id ? { ...commit, events: buffered.events } : commit;
          buffered = { id, events: commit.events };
          queueMicrotask(() => (buffered = undefined));
          return journal.append(mixed, after);
        },
      }),
    };
  }),
  broken('a log reads back the same however it is split into commits', () => ({
    reading: (reader) => ({
      async *commits(range?: CommitRange) {
        // of the commits that begin at one event the first and the last are found
        const group: Commit[] = [];
        for await (const commit of reader.commits(range)) {
          if (group[0]?.firstEvent === commit.firstEvent) {
            group[1] = commit;
            continue;
          }
          yield* group.splice(0);
          group.push(commit);
        }
        yield* group;
      },
    }),
  })),
  broken('everything that was written is there after every reopening', () => ({
    reading: (reader) => ({
      async *commits(range?: CommitRange) {
        // the files of epochs are read in the order of their names
        const commits = await Array.fromAsync(reader.commits(range));
        yield* commits.sort((a, b) => (String(a.epoch) < String(b.epoch) ? -1 : a.epoch === b.epoch ? 0 : 1));
      },
    }),
  })),
  broken('closing a journal stores what was appended before', () => ({
    journal: (journal) => {
      let closed = false;
      return {
        append: async (commit, after) => {
          await Promise.resolve();
          if (closed) throw new StoreError('CLOSED', 'journal');
          return journal.append(commit, after);
        },
        close: () => {
          closed = true;
          return journal.close();
        },
      };
    },
  })),
];
