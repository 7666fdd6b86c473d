import { FsStore } from '@conv/persist-fs';

import { warnOf } from './finding-text.ts';

/** The store of a folder of conversations. */
export function storeAt(directory: string): FsStore {
  return new FsStore({ directory, report: warnOf });
}
