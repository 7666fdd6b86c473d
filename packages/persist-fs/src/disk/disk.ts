import type { Platform } from '@conv/core/platform';

/** The mode of opening a file: `create` fails with EEXIST if it is there, the others with ENOENT if it is not. */
export type OpenMode = 'read' | 'update' | 'create';

/** The kind and size of a path, symbolic links not followed. */
export interface DiskStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly inode: number;
  /** Epoch milliseconds, with a fraction. */
  readonly modified: number;
}

/** Names of the calls to `sync` and `syncFolder`: a simulated disk can leave one out and show that it was needed. */
export type SyncSite =
  | 'group'
  | 'sealed'
  | 'header'
  | 'log folder'
  | 'conversation folder'
  | 'root folder'
  | 'new folder'
  | 'mirror meta'
  | 'mirror state'
  | 'mirror folder'
  | 'fork log'
  | 'fork copy'
  | 'fork root'
  | 'delete root'
  | 'reader'
  | 'registry name'
  | 'registry value'
  | 'registry version';

/**
 * All access of this package to a disk. Errors carry Node's `code` (`ENOENT`, `EEXIST`, `ENOSPC` …). Calls that touch
 * the page cache alone are synchronous, because a thread-pool round trip costs more than the call. Calls that wait for
 * the device are asynchronous.
 */
export interface Disk {
  /** The clocks and timers of the same host: times of files are compared with them. */
  readonly platform: Platform;
  /** Opens a file; the number is given to the other calls. */
  open(path: string, mode: OpenMode): number;
  /** Closes an open file. */
  close(file: number): void;
  /** Writes at `position`; returns the number of bytes written, which may be less than asked. */
  write(file: number, bytes: Uint8Array, position: number): number;
  /**
   * Makes a file with this content; EEXIST if it is there. A call that fails for another reason may leave a part of it.
   * Asynchronous, because making a file waits while the file system writes its journal.
   */
  createFile(path: string, bytes: Uint8Array): Promise<void>;
  /** Reads at `position` into `target`; returns the number of bytes read, 0 at the end. */
  read(file: number, target: Uint8Array, position: number): number;
  /** The bytes of a file; ENOENT when it is not there. For many files that may have to come from the device. */
  readFile(path: string): Promise<Uint8Array>;
  /** The size of an open file in bytes. */
  size(file: number): number;
  /**
   * Resolves when the data and the size of the file are on stable storage. `mayBlock`: no other work of the process is waiting,
   * so the disk may sync synchronously, which saves the hop through a thread (decision 11).
   */
  sync(file: number, site: SyncSite, mayBlock?: boolean): Promise<void>;
  /** Resolves when the names in the folder are on stable storage. */
  syncFolder(path: string, site: SyncSite): Promise<void>;
  /** Returns the kind and size of a path; `undefined` if nothing is there. */
  stat(path: string): DiskStat | undefined;
  /** The names in a folder, in no order. */
  list(path: string): string[];
  /** Reads the names in a folder with many names, which may have to come from the device. */
  readFolder(path: string): Promise<string[]>;
  /** Makes one folder; its parent must be there. */
  makeFolder(path: string): void;
  /** Gives a file or folder another name, in place of anything that had this name; atomic within one file system. */
  rename(from: string, to: string): void;
  /** Gives a file a second name. Fails with EEXIST, and with EXDEV across file systems. */
  link(existing: string, path: string): void;
  /** Removes a file. */
  remove(path: string): void;
  /** Removes a folder and all in it. */
  removeFolder(path: string): Promise<void>;
  /** The path without symbolic links. */
  resolve(path: string): string;
  /** The type of the file system that `path` is on, as Linux numbers them; 0 if unknown. */
  fileSystem(path: string): number;
  /** Calls back when something in the folder may have changed, until the returned function is called. May miss changes. */
  watch(path: string, changed: () => void): () => void;
}
