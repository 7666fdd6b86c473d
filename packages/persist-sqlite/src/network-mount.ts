import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '@conv/core/store';
import { networkFileSystem } from '@conv/store-kit/system';

/**
 * Rejects `UNSUPPORTED` for a file on a network file system. SQLite shares its write-ahead log through memory, which two machines
 * do not share, and locks of such file systems are unreliable. FUSE counts as a network file system because it does not tell what
 * is behind it.
 */
export async function refuseNetworkMount(
  file: string,
  typeOf: (folder: string) => Promise<number> = typeOfFileSystem,
): Promise<void> {
  const name = networkFileSystem(await typeOf(await existingFolder(dirname(file))));
  if (name === undefined) return;
  const advice = 'use another store, or allowNetworkMount when one machine alone uses the file';
  throw new StoreError(
    'UNSUPPORTED',
    `database ${file} is on ${name}, where SQLite cannot keep its promises: ${advice}`,
  );
}

async function typeOfFileSystem(folder: string): Promise<number> {
  try {
    return (await statfs(folder)).type;
  } catch (cause) {
    throw new StoreError(
      'UNAVAILABLE',
      `folder ${folder}: its file system cannot be determined; check its permissions, or set allowNetworkMount`,
      { cause },
    );
  }
}

/** Returns the nearest existing folder at or above a folder. */
async function existingFolder(folder: string): Promise<string> {
  const found = await statfs(folder).catch(() => undefined);
  return found || dirname(folder) === folder ? folder : existingFolder(dirname(folder));
}
