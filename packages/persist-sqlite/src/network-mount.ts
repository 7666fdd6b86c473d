import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StoreError } from '@conv/core/store';

/** Types of file systems, as `statfs(2)` numbers them, whose files other machines change too. */
const networkTypes: Readonly<Record<number, string>> = {
  0x517b: 'SMB',
  0x564c: 'NCP',
  0x6969: 'NFS',
  0x00c36400: 'Ceph',
  0x01021997: '9P',
  0x01161970: 'GFS2',
  0x0bd00bd0: 'Lustre',
  0x47504653: 'GPFS',
  0x5346414f: 'AFS',
  0x65735546: 'FUSE',
  0x6b414653: 'AFS',
  0x73757245: 'Coda',
  0x7461636f: 'OCFS2',
  0xfe534d42: 'SMB 2',
  0xff534d42: 'CIFS',
};

/**
 * Rejects `UNSUPPORTED` for a file on a network file system: the log that SQLite writes ahead is shared through memory, which two
 * machines do not have in common, and locks of such file systems are not to be relied upon. FUSE counts as one, since it does not
 * tell what is behind it.
 */
export async function refuseNetworkMount(
  file: string,
  typeOf: (folder: string) => Promise<number> = typeOfFileSystem,
): Promise<void> {
  // Some systems give the number a sign.
  const name = networkTypes[(await typeOf(await existingFolder(dirname(file)))) >>> 0];
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
