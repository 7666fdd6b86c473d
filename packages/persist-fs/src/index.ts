/**
 * Conversations in folders of the local file system: a log per conversation that survives crashes and loss of power, one
 * writer at a time, and beside it the files that OpenHands reads.
 *
 * @packageDocumentation
 */
export type { Disk, DiskStat, OpenMode, SyncSite } from './disk.ts';
export type { Finding, Report } from './finding.ts';
export { FsStore, type FsStoreOptions } from './fs-store.ts';
export { nodeDisk } from './node-disk.ts';
export type { ViewMode } from './view-writer.ts';
