import type { Event } from '@conv/core/events';
import { type Commit, type NewCommit, StoreError, toEventIndex } from '@conv/core/store';
import { without } from '../broken-stores/broken-store.ts';
import { changeCommits } from '../broken-stores/change-commits.ts';
import { subtle, type SubtleStore } from './subtle-store.ts';

export const subtleWriting: readonly SubtleStore[] = [
  subtle('drops the part of a patch that unsets fields', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => (commit.patch ? { ...commit, patch: without(commit.patch, 'unset') } : commit)),
  })),
  subtle('drops the part of a patch that adds, if the patch also sets', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) =>
        commit.patch?.set && commit.patch.add ? { ...commit, patch: without(commit.patch, 'add') } : commit,
      ),
  })),
  subtle('keeps costs in whole cents', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) =>
        commit.records
          ? { ...commit, records: commit.records.map((one) => ({ ...one, cost: Math.round(one.cost * 100) / 100 })) }
          : commit,
      ),
  })),
  subtle('keeps times in whole seconds', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) =>
        commit.records
          ? { ...commit, records: commit.records.map((one) => ({ ...one, timestamp: Math.floor(one.timestamp) })) }
          : commit,
      ),
  })),
  subtle('cuts text at NUL', () => ({
    reading: (reader) => changeCommits(reader, (commit) => parsed(texts(commit).replaceAll('\\u0000', ''))),
  })),
  subtle('replaces lone surrogates', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => parsed(texts(commit).replaceAll(/\\ud800|\\udfff/g, '\ufffd'))),
  })),
  subtle('trims the ends of lines', () => ({
    reading: (reader) => changeCommits(reader, (commit) => parsed(texts(commit).replaceAll('\\r\\n', '\\n'))),
  })),
  subtle('sorts the events of a commit by their ids', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => ({
        ...commit,
        events: [...commit.events].sort((a, b) => (a.id < b.id ? -1 : 1)),
      })),
  })),
  subtle('leaves members of events out that are null', () => ({
    reading: (reader) => changeCommits(reader, (commit) => ({ ...commit, events: commit.events.map(withoutNulls) })),
  })),
  subtle('cuts text at 64 KiB', () => ({
    reading: (reader) =>
      changeCommits(
        reader,
        (commit) =>
          JSON.parse(JSON.stringify(commit), (_, value: unknown) =>
            typeof value === 'string' ? value.slice(0, 65_536) : value,
          ) as Commit,
      ),
  })),
  subtle('gives commits new ids', () => ({
    reading: (reader) => changeCommits(reader, (commit) => ({ ...commit, id: `${commit.seq}` })),
  })),
  subtle('counts a commit without events as one event', () => ({
    reading: (reader) => {
      const shift = (commit: Commit): Commit => ({
        ...commit,
        firstEvent: toEventIndex(commit.firstEvent + commit.seq),
      });
      return changeCommits(reader, (commit) => (commit.events.length === 0 ? shift(commit) : commit));
    },
  })),
  subtle('stores a commit that it refuses as too large', () => ({
    journal: (journal, { backend, id }) => ({
      append: async (commit, after) =>
        journal.append(commit, after).catch(async (error: unknown) => {
          const small: NewCommit = { ...commit, events: [] };
          if (error instanceof StoreError && error.code === 'TOO_LARGE')
            await backend.owners.get(id)?.journal.append(small, after);
          throw error;
        }),
    }),
  })),
  subtle('takes no commit any more after one that was too large', () => ({
    journal: (journal) => {
      let refused: unknown;
      return {
        append: async (commit, after) => {
          if (refused !== undefined) throw refused;
          return journal.append(commit, after).catch((error: unknown) => {
            refused = error;
            throw error;
          });
        },
      };
    },
  })),
  subtle('joins appends in flight into one commit', () => ({
    journal: (journal) => {
      let last: { readonly commit: NewCommit; readonly stored: Promise<Commit> } | undefined;
      return {
        append: (commit, after) => {
          if (last && commit.events.length === 0 && last.commit.events.length === 0) return last.stored;
          const stored = journal.append(commit, after);
          last = { commit, stored };
          stored.finally(() => (last = undefined)).catch(() => {});
          return stored;
        },
      };
    },
  })),
];

function texts(commit: Commit): string {
  return JSON.stringify(commit);
}

function parsed(text: string): Commit {
  return JSON.parse(text) as Commit;
}

function withoutNulls(event: Event): Event {
  return JSON.parse(JSON.stringify(event), (_, value: unknown) => (value === null ? undefined : value)) as Event;
}
