import { StoreError } from '@conv/core/store';
import type { Disk } from './disk.ts';

/** File systems behind a network, where one machine does not see at once what another one does; numbers of `statfs(2)`. */
const networks: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x517b, 'SMB'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x564c, 'NCP'],
  [0x00c36400, 'Ceph'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
  [0x65735546, 'FUSE'],
]);

/**
 * Throws `UNSUPPORTED` for a folder on a network file system. There one writer per conversation cannot be kept: whether the
 * next epoch is there is answered from a cache. FUSE is refused because most of it is a network; what lies behind is not told.
 */
export function refuseNetworkMount(disk: Disk, directory: string): void {
  // Some systems answer with a signed number.
  const name = networks.get(disk.fileSystem(directory) >>> 0);
  if (name === undefined) return;
  const advice = 'use another store, or allowNetworkMount when one machine alone uses the folder';
  throw new StoreError(
    'UNSUPPORTED',
    `store ${directory} is on ${name}, where one writer per conversation cannot be kept: ${advice}`,
  );
}
