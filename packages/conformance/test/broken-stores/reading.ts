import {
  type CommitRange,
  type EventIndex,
  isStoreError,
  type JournalReader,
  MemoryStore,
  type Snapshot,
  StoreError,
  toCommitSeq,
  toConversationId,
} from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';
import { changeCommits } from './change-commits.ts';
import { alter } from '@conv/testing-harness';

export const brokenReading: readonly BrokenStore[] = [
  broken('reading a missing conversation resolves with undefined', () => ({
    store: (store) => ({
      read: async (id) => (await store.read(id)) ?? emptyReader(id),
    }),
  })),
  broken('an id that is not a UUID rejects INVALID_ID everywhere', () => ({
    store: (store) => ({
      delete: async (id) => {
        try {
          await store.delete(id);
        } catch (error) {
          if (!isStoreError(error, 'INVALID_ID')) throw error;
        }
      },
    }),
  })),
  broken('commits can be read by number, from and to anywhere', () => ({
    reading: (reader) => ({
      commits: (range: CommitRange = {}) => {
        if ('fromEvent' in range || range.to === undefined || !range.from) return reader.commits(range);
        return reader.commits({ from: range.from, to: toCommitSeq(range.to + 1) });
      },
    }),
  })),
  broken('events can be read by number, from and to anywhere, with the commits that hold them', () => ({
    reading: (reader) => ({
      async *commits(range: CommitRange = {}) {
        for await (const commit of reader.commits(range)) {
          if (!('fromEvent' in range) || commit.firstEvent >= range.fromEvent) yield commit;
        }
      },
    }),
  })),
  broken('events of any range come in the order of their numbers in a log of many commits', () => ({
    reading: (reader) => ({
      async *commits(range: CommitRange = {}) {
        if (!('fromEvent' in range)) return yield* reader.commits(range);
        // the second page of an answer is put before its last commit
        const found = await Array.fromAsync(reader.commits(range));
        const page = found.splice(0, 255);
        const last = found.length > 0 ? page.splice(-1) : [];
        yield* [...page, ...found, ...last];
      },
    }),
  })),
  broken('commits ends where the log ended at the time of the call, while appends continue', () => ({
    reading: (reader) => ({
      async *commits(range: CommitRange = {}) {
        let next = 0;
        for await (const commit of reader.commits(range)) {
          yield commit;
          next = commit.seq + 1;
        }
        if ('fromEvent' in range || range.to !== undefined) return;
        while (reader.end.seq > next) yield* reader.commits({ from: toCommitSeq(next), to: toCommitSeq(++next) });
      },
    }),
  })),
  broken('a reader opened during a write finds the commits acknowledged until then', () => {
    let inFlight = 0;
    return {
      journal: (journal) => ({
        append: async (commit, after) => {
          inFlight++;
          try {
            return await journal.append(commit, after);
          } finally {
            inFlight--;
          }
        },
      }),
      store: (store) => ({
        read: async (id) => {
          const writing = inFlight > 0;
          const reader = await store.read(id);
          const shown = (reader?.end.seq ?? 0) - 2;
          return writing && reader
            ? alter(
                reader,
                changeCommits(reader, (commit) => (commit.seq < shown ? commit : undefined)),
              )
            : reader;
        },
      }),
    };
  }),
  broken('refresh moves the end of a reader to the end of the log', () => ({
    reader: (reader) => {
      const end = reader.end;
      return { refresh: async () => ((await reader.refresh()) ? end : end) };
    },
  })),
  broken('the end of a journal is always current', () => ({
    journal: (journal) => ({ end: journal.end }),
  })),
  broken('an empty conversation ends at 0', () => ({
    reading: (reader) => ({
      locate: async (id) => {
        const found = await reader.locate(id);
        if (reader.end.event === 0) throw new StoreError('CORRUPT', 'there is no index');
        return found;
      },
    }),
  })),
  broken('locate finds the first event with an id, and none for an unknown id', () => ({
    reading: (reader) => ({
      locate: async (id) => {
        let last = await reader.locate(id);
        for await (const { events, firstEvent } of reader.commits()) {
          events.forEach((event, at) => {
            if (event.id === id) last = (firstEvent + at) as EventIndex;
          });
        }
        return last;
      },
    }),
  })),
  broken('locate finds events that were appended after an earlier call', () => ({
    reading: (reader) => {
      let indexed: number | undefined;
      return {
        locate: async (id) => {
          const found = await reader.locate(id);
          indexed ??= reader.end.event;
          return found !== undefined && found < indexed ? found : undefined;
        },
      };
    },
  })),
  broken('readers do not disturb each other', () => {
    const readers = new Set<JournalReader>();
    return {
      reader: (reader) => {
        readers.add(reader);
        return {
          close: async () => {
            for (const one of readers) await one.close();
          },
        };
      },
    };
  }),
  broken('a log that was never harmed reports no damage', () => ({
    reading: () => ({ damage: [{ from: toCommitSeq(0), to: toCommitSeq(0), reason: 'an empty tail', restored: [] }] }),
  })),
  broken('a snapshot is kept, replaced by a later one, and found by the next owner', () => ({
    journal: (journal) => ({
      saveSnapshot: async (snapshot) => {
        if (!(await journal.snapshot())) await journal.saveSnapshot(snapshot);
      },
    }),
  })),
  broken('a snapshot that is ahead of the log is never given out', () => ({
    journal: (journal) => {
      let kept: Snapshot | undefined;
      return {
        saveSnapshot: async (snapshot) => {
          await journal.saveSnapshot(snapshot);
          kept = snapshot;
        },
        snapshot: async () => {
          const stored = await journal.snapshot();
          return kept ?? stored;
        },
      };
    },
  })),
  broken('the epochs of a log never fall', () => ({
    reading: (reader) =>
      changeCommits(reader, (commit) => (commit.events.length === 0 ? { ...commit, epoch: 0 } : commit)),
  })),
];

/** A reader of nothing at all. */
async function emptyReader(id: string): Promise<JournalReader> {
  const store = new MemoryStore();
  await store.open(toConversationId(id), { owner: 'nobody' });
  return (await store.read(id)) as JournalReader;
}
