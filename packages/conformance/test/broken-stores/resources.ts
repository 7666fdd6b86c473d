import { openSync } from 'node:fs';
import { devNull } from 'node:os';

import { broken, type BrokenStore } from './broken-store.ts';

export const brokenResources: readonly BrokenStore[] = [
  broken('descriptors and timers of every operation are given back, when it succeeds and when it fails', () => ({
    store: (store) => ({
      fork: async (id, newId, options) => {
        // what an error path forgets
        const file = openSync(devNull, 'r');
        await store.fork(id, newId, options);
        return void file;
      },
    }),
  })),
  broken('a watch that ends leaves no listener on its signal', () => ({
    reader: (reader) => ({
      watch: (from, signal) => {
        signal.addEventListener('abort', () => {}, { once: true });
        return reader.watch(from, signal);
      },
    }),
  })),
];
