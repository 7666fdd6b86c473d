import { isStoreError, type Journal, toConversationId } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';
import type { Flaw } from './shared-store.ts';

/** A write that comes in late, and what has become of its journal and its conversation. */
export interface LateWrite {
  readonly write: Parameters<Journal['append']>;
  /** The end of the log when the write was sent. */
  readonly seq: number;
  readonly isFenced: boolean;
  readonly isClosed: boolean;
  readonly isDeleted: boolean;
  /** The journal that owns the conversation now. */
  readonly owner: Journal | undefined;
}

/** Stores late writes after the log of the present owner, if `isStored` says so; a backend that is sound refuses them. */
export function storesLate(isStored: (late: LateWrite) => boolean): Flaw {
  const deleted = new Set<string>();
  return {
    store: (store) => ({
      delete: async (id) => {
        await store.delete(id);
        deleted.add(toConversationId(id));
      },
    }),
    journal: (journal, { id, backend }) => {
      let isClosed = false;
      return {
        append: async (...write) => {
          const { seq } = journal.end;
          return journal.append(...write).catch((error: unknown) => {
            if (!isStoreError(error, 'OUTCOME_UNKNOWN')) throw error;
            const inTime = backend.arrive;
            backend.arrive = async () => {
              const owner = backend.owners.get(id)?.journal;
              const [isFenced, isDeleted] = [journal.lost.aborted, deleted.has(id)];
              return isStored({ write, seq, isFenced, isClosed, isDeleted, owner })
                ? owner?.append(...write)
                : inTime();
            };
            throw error;
          });
        },
        close: async () => {
          isClosed = true;
          await journal.close();
        },
      };
    },
  };
}

export const brokenLateWrites: readonly BrokenStore[] = [
  broken('a late write does not contradict the answer of its append', () =>
    storesLate(
      ({ isFenced, isClosed, seq, owner }) => !isFenced && !isClosed && owner !== undefined && owner.end.seq > seq,
    ),
  ),
  broken('a late write of a fenced owner is not part of the log', () => storesLate(({ isFenced }) => isFenced)),
  broken('a late write of an owner that has closed is not part of the log', () =>
    storesLate(({ isFenced, isClosed, isDeleted }) => isClosed && !isFenced && !isDeleted),
  ),
  broken('a late write brings back nothing of a deleted conversation', () => storesLate(({ isDeleted }) => isDeleted)),
];
