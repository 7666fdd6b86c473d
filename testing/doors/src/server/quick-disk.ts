import { nodeDisk, type Disk } from '@conv/persist-fs';

/** Files of single events, which are for other programs alone. */
const EVENT_FILE = /\/events\/[^/]+$/;

/**
 * The disk of this machine for servers whose process may be killed, and not their machine: it waits for no device, and makes
 * no files for other programs.
 */
export const quickDisk: Disk = {
  ...nodeDisk,
  sync: async () => {},
  syncFolder: async () => {},
  createFile: async (path, bytes) => void (EVENT_FILE.test(path) || (await nodeDisk.createFile(path, bytes))),
};
