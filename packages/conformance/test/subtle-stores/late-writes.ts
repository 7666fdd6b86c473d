import { isStoreError, StoreError } from '@conv/core/store';
import { storesLate } from '../broken-stores/late-writes.ts';
import { subtle, type SubtleStore } from './subtle-store.ts';

export const subtleLateWrites: readonly SubtleStore[] = [
  subtle('fences late writes by their place alone, which the next owner has not filled yet', () =>
    storesLate(({ isFenced, isClosed, seq, owner }) => (isFenced || isClosed) && owner?.end.seq === seq),
  ),
  subtle('stores a write again that its owner has found to be stored', () => storesLate(({ isClosed }) => !isClosed)),
  subtle('tells that a write without an answer is not stored', () => ({
    journal: (journal) => ({
      append: async (commit, after) =>
        journal.append(commit, after).catch((error: unknown) => {
          if (!isStoreError(error, 'OUTCOME_UNKNOWN')) throw error;
          throw new StoreError('UNAVAILABLE', 'no answer came in time', { cause: error });
        }),
    }),
  })),
  subtle('tells that a write without an answer is stored before it is', () => ({
    journal: (journal) => ({
      append: async (commit, after) => {
        const { seq, event } = journal.end;
        return journal.append(commit, after).catch((error: unknown) => {
          if (!isStoreError(error, 'OUTCOME_UNKNOWN')) throw error;
          return { ...commit, seq, firstEvent: event, epoch: journal.epoch };
        });
      },
    }),
  })),
  subtle('ends a journal for good when a write has no answer, and its log with it', () => {
    const ended = new Set<string>();
    return {
      journal: (journal, { id }) => ({
        append: async (commit, after) => {
          if (ended.has(id)) throw new Error('the log has ended');
          return journal.append(commit, after).catch((error: unknown) => {
            ended.add(id);
            throw error;
          });
        },
      }),
    };
  }),
];
