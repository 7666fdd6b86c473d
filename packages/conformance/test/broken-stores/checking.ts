import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { foldJournal } from '@conv/core';
import { type CheckResult, type Finding, isStoreError } from '@conv/core/store';
import { broken, type BrokenStore } from './broken-store.ts';

const nothing: CheckResult = { commits: 0, events: 0, findings: [] };

export const brokenChecking: readonly BrokenStore[] = [
  broken('check of an undamaged conversation counts its commits and events and finds nothing', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const result = await store.check(id, options);
        return { ...result, events: result.commits };
      },
    }),
  })),
  broken('check of a conversation that is written meanwhile finds nothing wrong', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const before = await store.list();
        const result = await store.check(id, options);
        const isSame = isDeepStrictEqual(await store.list(), before);
        const finding = { part: 'summary', severity: 'stale', message: 'it was written', repaired: false } as const;
        return isSame ? result : { ...result, findings: [finding] };
      },
    }),
  })),
  broken('check without an id looks at what all conversations share and finds nothing wrong', () => ({
    store: (store) => ({
      check: async (id, options) => {
        if (id !== undefined) return store.check(id, options);
        await store.list();
        return {
          ...nothing,
          findings: [{ part: 'list', severity: 'stale', message: 'it is old', repaired: false }],
        };
      },
    }),
  })),
  broken('check rejects NOT_FOUND for a conversation that is not there and makes nothing', () => ({
    store: (store) => ({
      check: (id, options) =>
        store.check(id, options).catch((error: unknown) => {
          if (isStoreError(error, 'NOT_FOUND')) return nothing;
          throw error;
        }),
    }),
  })),
  broken('check that is aborted rejects with the reason of its signal', () => ({
    store: (store) => ({
      check: (id, { signal: _signal, ...options } = {}) => store.check(id, options),
    }),
  })),
  broken('check reports its progress, up to the end of the log', () => ({
    store: (store) => ({
      check: (id, { onProgress: _onProgress, ...options } = {}) => store.check(id, options),
    }),
  })),
  broken('a repair changes nothing in an undamaged conversation', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const result = await store.check(id, options);
        if (id === undefined || !options?.repair) return result;
        const journal = await store.open(id, { owner: 'repair' });
        const { fields } = await foldJournal(journal);
        await journal.append({ id: randomUUID(), events: [], patch: {} }, fields);
        await journal.close();
        return result;
      },
    }),
  })),
  broken('check reads every record and names a damaged record', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const result = await store.check(id, options);
        return { ...result, findings: result.findings.filter(({ severity }) => severity !== 'lost') };
      },
    }),
  })),
  broken('check names a loss that the log records as known', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const result = await store.check(id, options);
        const isRecorded = ({ part, severity }: Finding): boolean => part === 'log' && severity === 'known';
        const findings = result.findings.map((one) => (isRecorded(one) ? { ...one, severity: 'lost' as const } : one));
        return { ...result, findings };
      },
    }),
  })),
  broken('check names settings that may be lost as known until they are confirmed', () => ({
    store: (store) => ({
      check: async (id, options) => {
        const result = await store.check(id, options);
        return { ...result, findings: result.findings.filter(({ part }) => part !== 'summary') };
      },
    }),
  })),
  broken('a state read from a snapshot, and past states, know of a damaged record before it', () => ({
    reader: () => ({ damage: [] }),
  })),
  broken('the log of another conversation is refused and named with both ids, and a repair leaves it as it is', () => ({
    store: (store, { backend }) => ({
      read: (id) => {
        const found = backend.swapped.get(id);
        return found === undefined ? store.read(id) : backend.memory.read(found);
      },
    }),
  })),
];
