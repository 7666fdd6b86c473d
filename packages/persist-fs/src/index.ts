/**
 * Conversations in folders of the local file system: a log per conversation that survives crashes and loss of power, one
 * writer at a time, and beside it the files that OpenHands reads.
 *
 * @packageDocumentation
 */
export type { Disk, DiskStat, OpenMode, SyncSite } from './disk/disk.ts';
export type { Finding, Report } from './disk/finding.ts';
export { FsRegistry, type FsRegistryOptions } from './registry/fs-registry.ts';
export { FsStore, type FsStoreOptions } from './store/fs-store.ts';
export { nodeDisk } from './disk/node-disk.ts';
export type { MirrorMode } from './mirror/mirror-writer.ts';
