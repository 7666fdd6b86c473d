import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '@conv/core/store';
import { networkFileSystem } from '@conv/store-kit/system';

/**
 * Throws `UNSUPPORTED` for a file on a network file system. SQLite shares its write-ahead log through memory, which two machines
 * do not share, and locks of such file systems are unreliable. FUSE counts as a network file system because it does not tell what
 * is behind it.
 */
export function refuseNetworkMount(file: string, typeOf: (folder: string) => number = typeOfFileSystem): void {
  const name = networkFileSystem(typeOf(existingFolder(dirname(file))));
  if (name === undefined) return;
  const advice = 'use another store, or allowNetworkMount when one machine alone uses the file';
  throw new StoreError(
    'UNSUPPORTED',
    `database ${file} is on ${name}, where SQLite cannot keep its promises: ${advice}`,
  );
}

function typeOfFileSystem(folder: string): number {
  try {
    return statfsSync(folder).type;
  } catch (cause) {
    throw new StoreError(
      'UNAVAILABLE',
      `folder ${folder}: its file system cannot be determined; check its permissions, or set allowNetworkMount`,
      { cause },
    );
  }
}

/** Returns the nearest existing folder at or above a folder. */
function existingFolder(folder: string): string {
  try {
    statfsSync(folder);
    return folder;
  } catch {
    return dirname(folder) === folder ? folder : existingFolder(dirname(folder));
  }
}
