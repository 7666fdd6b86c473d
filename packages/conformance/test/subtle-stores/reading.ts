import { setImmediate } from 'node:timers/promises';

import { type CommitRange, type CommitSeq, type EventIndex, toCommitSeq, toEventIndex } from '@conv/core/store';
import { changeCommits } from '../broken-stores/change-commits.ts';
import { subtle, type SubtleStore } from './subtle-store.ts';

export const subtleReading: readonly SubtleStore[] = [
  subtle('takes the end of a range for a part of it', () => ({
    reading: (reader) => ({
      commits: (range: CommitRange = {}) =>
        'fromEvent' in range || range.to === undefined
          ? reader.commits(range)
          : reader.commits({ ...range, to: toCommitSeq(range.to + 1) }),
    }),
  })),
  subtle('leaves commits without events out of a range of events', () => ({
    reading: (reader) => ({
      async *commits(range: CommitRange = {}) {
        for await (const commit of reader.commits(range))
          if (!('fromEvent' in range) || commit.seq < 4 || commit.events.length !== 2) yield commit;
      },
    }),
  })),
  subtle('finds events by the beginning of their ids', () => ({
    reading: (reader) => ({
      locate: async (id) => {
        for await (const { events, firstEvent } of reader.commits()) {
          const at = events.findIndex((event) => event.id.startsWith(id));
          if (at >= 0) return toEventIndex(firstEvent + at);
        }
        return undefined;
      },
    }),
  })),
  subtle('finds events of its own ownership alone', () => ({
    journal: (journal) => ({
      locate: async (id) => {
        const found = await journal.locate(id);
        const own = await Array.fromAsync(journal.commits());
        const holder = own.find(({ firstEvent, events }) => found !== undefined && found < firstEvent + events.length);
        return holder?.epoch === journal.epoch ? found : undefined;
      },
    }),
  })),
  subtle('keeps the first snapshot until the next opening', () => ({
    journal: (journal) => {
      let shown: Awaited<ReturnType<typeof journal.snapshot>>;
      return { snapshot: async () => (shown ??= await journal.snapshot()) };
    },
  })),
  subtle('turns numbers in snapshots into text', () => ({
    reading: (reader) => ({
      snapshot: async () => {
        const snapshot = await reader.snapshot();
        if (!snapshot) return undefined;
        const data = JSON.parse(JSON.stringify(snapshot.data), (_, value: unknown) =>
          typeof value === 'number' ? String(value) : value,
        ) as typeof snapshot.data;
        return { ...snapshot, data };
      },
    }),
  })),
  subtle('forgets snapshots when a journal is closed', () => ({
    journal: (journal) => {
      let kept: Awaited<ReturnType<typeof journal.snapshot>>;
      return {
        saveSnapshot: async (snapshot) => {
          kept = snapshot;
        },
        snapshot: async () => (kept && kept.seq <= journal.end.seq ? kept : undefined),
      };
    },
  })),
  subtle('shows a reader what is not stored yet', () => ({
    journal: (journal) => ({
      append: async (commit, after) => {
        const stored = await journal.append(commit, after);
        if (stored.seq % 7 === 3) await setImmediate();
        return { ...stored, firstEvent: toEventIndex(stored.firstEvent + (stored.seq === 2 ? 1 : 0)) };
      },
    }),
  })),
  subtle('moves the end of a reader with refresh, but reads up to the end of its opening', () => ({
    reader: (reader) => {
      const opened = reader.end;
      return {
        commits: (range: CommitRange = {}) =>
          reader.commits('fromEvent' in range ? range : { ...range, to: opened.seq }),
      };
    },
  })),
  subtle('follows a log but misses what is stored between reading and waiting', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        const { seq: stored } = reader.end;
        if (from < stored) yield* reader.commits({ from, to: stored });
        await setImmediate();
        yield* reader.watch(reader.end.seq > stored ? reader.end.seq : toCommitSeq(Math.max(from, stored)), signal);
      },
    }),
  })),
  subtle('wakes watchers for commits with events alone', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        let held: unknown[] = [];
        for await (const commit of reader.watch(from, signal)) {
          if (commit.events.length === 0 && commit.seq >= from + 6) {
            held.push(commit);
            continue;
          }
          yield* held.splice(0) as (typeof commit)[];
          held = [];
          yield commit;
        }
      },
    }),
  })),
  subtle('gives a watch the number of an event where a number of a commit is meant', () => ({
    reading: (reader) => ({
      async *watch(from: CommitSeq, signal: AbortSignal) {
        for await (const commit of reader.watch(toCommitSeq(0), signal))
          if (commit.firstEvent + commit.events.length > from || commit.seq >= from) yield commit;
      },
    }),
  })),
  subtle('reports the epoch of the reader in place of that of the writer', () => ({
    reading: (reader) => changeCommits(reader, (commit) => ({ ...commit, epoch: 1 })),
  })),
  subtle('ends the log where the last event is', () => ({
    reading: (reader) => ({
      get end() {
        return { ...reader.end, event: (reader.end.event === 2 ? 1 : reader.end.event) as EventIndex };
      },
    }),
  })),
];
