import { checks, type StateFields } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { Commit, ConversationStore, Journal, NewCommit } from '@conv/core/store';

import { CommittedWork } from './committed-work.ts';
import type { CommitObserver } from './commit-observer.ts';

/**
 * The store, and an observer who is told of what the conversations do that are written through it. What the observer throws harms no
 * commit; `report` is told of it.
 */
export function watchedStore(
  store: ConversationStore,
  observer: CommitObserver,
  report: (error: unknown, conversationId: string) => void,
): ConversationStore {
  if (!isObject(store))
    throw new TypeError(checks.wrongValue('watchedStore', 'a store such as new MemoryStore()', store));
  return {
    features: store.features,
    open: async (id, options) => watched(await store.open(id, options), id, { observer, report }),
    read: (id) => store.read(id),
    list: (query) => store.list(query),
    fork: (id, newId, options) => store.fork(id, newId, options),
    delete: (id) => store.delete(id),
    check: (id, options) => store.check(id, options),
    close: () => store.close(),
  };
}

interface Watch {
  readonly observer: CommitObserver;
  readonly report: (error: unknown, conversationId: string) => void;
}

function watched(journal: Journal, id: string, { observer, report }: Watch): Journal {
  const work = new CommittedWork(observer);
  return {
    get end() {
      return journal.end;
    },
    get damage() {
      return journal.damage;
    },
    get epoch() {
      return journal.epoch;
    },
    get lost() {
      return journal.lost;
    },
    append: async (commit: NewCommit, after: StateFields): Promise<Commit> => {
      const stored = await journal.append(commit, after);
      try {
        work.committed(commit, after);
      } catch (error) {
        report(error, id);
      }
      return stored;
    },
    refresh: () => journal.refresh(),
    commits: (range) => journal.commits(range),
    locate: (eventId) => journal.locate(eventId),
    snapshot: () => journal.snapshot(),
    watch: (from, signal) => journal.watch(from, signal),
    saveSnapshot: (snapshot) => journal.saveSnapshot(snapshot),
    close: async () => {
      await journal.close();
      observer.released?.(id);
    },
  };
}
