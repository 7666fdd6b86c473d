import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '@conv/core/store';
import { networkFileSystem } from '@conv/store-kit/system';

/**
 * Rejects `UNSUPPORTED` for a file on a network file system: the log that SQLite writes ahead is shared through memory, which two
 * machines do not have in common, and locks of such file systems are not to be relied upon. FUSE counts as one, since it does not
 * tell what is behind it.
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
    throw new StoreError('UNAVAILABLE', `folder ${folder}: what file system it is on is not told`, { cause });
  }
}

/** The nearest folder above that is there already. */
async function existingFolder(folder: string): Promise<string> {
  const found = await statfs(folder).catch(() => undefined);
  return found || dirname(folder) === folder ? folder : existingFolder(dirname(folder));
}
