import { devNull } from 'node:os';
import { basename, dirname } from 'node:path';

import { nodeDisk, type Disk } from '@conv/persist-fs';

/** The disk of this machine, on which no event files for other programs are made. */
export const withoutEventFiles: Disk = {
  ...nodeDisk,
  open: (path, mode) =>
    isEventFile(path) && mode === 'create' ? nodeDisk.open(devNull, 'update') : nodeDisk.open(path, mode),
  createFile: async (path, bytes) => (isEventFile(path) ? undefined : nodeDisk.createFile(path, bytes)),
};

function isEventFile(path: string): boolean {
  return basename(dirname(path)) === 'events';
}
