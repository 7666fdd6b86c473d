import { checks, type StateFields } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { Commit, ConversationStore, Journal, NewCommit } from '@conv/core/store';

import { CommittedWork } from './committed-work.ts';
import type { CommitObserver } from './commit-observer.ts';
import { replacing } from './replacing.ts';
import { ToldCommits } from './told-commits.ts';

/**
 * Returns the store with journals that report to an observer what conversations do. An error of the observer harms no conversation;
 * it goes to `report`.
 */
export function watchedStore(
  store: ConversationStore,
  observer: CommitObserver,
  report: (error: unknown, conversationId: string) => void,
): ConversationStore {
  if (!isObject(store))
    throw new TypeError(checks.wrongValue('watchedStore', 'a store such as new MemoryStore()', store));
  return replacing(store, {
    open: async (id, options) => watched(await store.open(id, options), id, { observer, report }),
  });
}

interface Watch {
  readonly observer: CommitObserver;
  readonly report: (error: unknown, conversationId: string) => void;
}

function watched(journal: Journal, id: string, { observer, report }: Watch): Journal {
  const told = new ToldCommits(journal, new CommittedWork(observer), (error) => report(error, id));
  return replacing(journal, {
    append: async (commit: NewCommit, after: StateFields): Promise<Commit> => {
      const stored = await journal.append(commit, after);
      told.tell(commit, after);
      return stored;
    },
    close: async () => {
      try {
        await journal.close();
      } finally {
        told.after(() => observer.released?.(id));
      }
    },
  });
}
