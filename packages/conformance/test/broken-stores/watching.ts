import { type Commit, type CommitSeq, type JournalReader, StoreError, toCommitSeq } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';

export const brokenWatching: readonly BrokenStore[] = [
  broken('a watch joins stored and new commits without gap or duplicate', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        const stored = reader.end.seq;
        for await (const commit of reader.watch(from, signal)) {
          yield commit;
          if (commit.seq === stored && from + 5 < stored && stored < 50) yield commit;
        }
      },
    }),
  })),
  broken('a watch that is far behind gives every commit once and in order', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        // two pages of what was missed arrive in the wrong order
        let held: Commit | undefined;
        for await (const commit of reader.watch(from, signal)) {
          if (commit.seq === from + 200) {
            held = commit;
            continue;
          }
          yield commit;
          if (held) yield held;
          held = undefined;
        }
      },
    }),
  })),
  broken('watch can start in the middle', () => ({
    reading: (reader) => ({
      watch: (from, signal) => reader.watch(from < reader.end.seq ? toCommitSeq(0) : from, signal),
    }),
  })),
  broken('a watch from the end gives only new commits', () => ({
    reading: (reader) => ({
      watch: (from, signal) => reader.watch(from > 1 && from === reader.end.seq ? toCommitSeq(from - 1) : from, signal),
    }),
  })),
  broken('watch ends without an error when it is aborted while it waits', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        const early = signal.aborted;
        yield* reader.watch(from, signal);
        if (!early) signal.throwIfAborted();
      },
    }),
  })),
  broken('watch with a signal that is aborted already gives nothing', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        if (signal.aborted) yield* reader.commits({ from });
        else yield* reader.watch(from, signal);
      },
    }),
  })),
  broken('several watchers each get every commit', () => {
    let watching = 0;
    return {
      reading: (reader) => ({
        async *watch(from: CommitSeq, signal: AbortSignal) {
          watching++;
          try {
            // only one watcher gets new commits
            if (watching > 1) yield* storedOnly(reader, from, signal);
            else yield* reader.watch(from, signal);
          } finally {
            watching--;
          }
        },
      }),
    };
  }),
  broken('leaving a watch disturbs neither its reader nor the writer', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        try {
          yield* reader.watch(from, signal);
        } finally {
          await reader.close();
        }
      },
    }),
  })),
  broken('closing a reader ends its watch', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        yield* reader.watch(from, signal);
        await aborted(signal);
      },
    }),
  })),
  broken('a watcher continues with what the next owner writes', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        let epoch: number | undefined;
        for await (const commit of reader.watch(from, signal)) {
          epoch ??= commit.epoch;
          if (commit.epoch === epoch) yield commit;
        }
      },
    }),
  })),
  broken('a watcher in another store object gets every commit', () => ({
    reading: (reader, { connection }) =>
      connection === 0 ? {} : { watch: (from, signal) => storedOnly(reader, from, signal) },
  })),
  broken('a watch waits while the store cannot be reached, and misses nothing', () => ({
    reading: (reader, { backend }) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        if (backend.isAway) throw new StoreError('UNAVAILABLE', 'the watch ends with it');
        yield* reader.watch(from, signal);
      },
    }),
  })),
];

async function* storedOnly(reader: JournalReader, from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit> {
  yield* reader.commits({ from });
  await aborted(signal);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
