/** Types of file systems that other machines change too, as `statfs(2)` numbers them. */
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x517b, 'SMB'],
  [0x564c, 'NCP'],
  [0x6969, 'NFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x5346414f, 'AFS'],
  [0x65735546, 'FUSE'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x7461636f, 'OCFS2'],
  [0xfe534d42, 'SMB 2'],
  [0xff534d42, 'CIFS'],
]);

/**
 * Returns the name of a network file system, `undefined` for a local one. `type`: from `statfs(2)`. A store that relies on one
 * kernel must refuse a network: there, one machine does not see at once what another one wrote. FUSE counts as a network, because
 * its backend cannot be determined.
 */
export function networkFileSystem(type: number): string | undefined {
  // Some systems return a signed number.
  return NETWORKS.get(type >>> 0);
}
