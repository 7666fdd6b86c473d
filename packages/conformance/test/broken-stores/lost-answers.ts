import type { StateFields } from '@conv/core';
import { type NewCommit, StoreError } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';

export const brokenLostAnswers: readonly BrokenStore[] = [
  broken('an append whose answer is lost is acknowledged, or rejects OUTCOME_UNKNOWN', () => ({
    journal: (journal, { backend }) => ({
      append: async (commit, after) => {
        const how = backend.takeLostAnswer();
        const stored = await journal.append(commit, after);
        if (how === 'cut') throw new StoreError('UNAVAILABLE', 'the connection was cut');
        return stored;
      },
    }),
  })),
  broken('an append that the client of the backend sends twice is stored once and acknowledged', () => ({
    journal: (journal, { backend }) => ({
      append: async (commit, after) => {
        const how = backend.takeLostAnswer();
        const stored = await journal.append(commit, after);
        if (how === 'sentTwice') throw new StoreError('FENCED', 'the place is taken');
        return stored;
      },
    }),
  })),
  broken('the next owner after a lost answer finds each commit once and writes after it', () => {
    const unsettled = new Map<string, readonly [NewCommit, StateFields]>();
    return {
      journal: (journal, { id, backend }) => {
        const kept = unsettled.get(id);
        return {
          append: async (commit, after) => {
            if (kept && unsettled.delete(id)) await journal.append(...kept);
            const how = backend.takeLostAnswer();
            const stored = await journal.append(commit, after);
            if (how !== 'cut') return stored;
            unsettled.set(id, [commit, after]);
            throw new StoreError('OUTCOME_UNKNOWN', 'the connection was cut');
          },
        };
      },
    };
  }),
];
