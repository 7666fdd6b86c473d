import fs from 'node:fs';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { Disk, DiskStat, OpenMode, SyncSite } from './disk.ts';

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/**
 * The flags of each mode. Opening does not wait: a FIFO in place of a file would stop the process until another process
 * writes into it. A write never follows a symbolic link.
 */
const flags: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY | O_NONBLOCK,
  update: O_RDWR | O_NONBLOCK | O_NOFOLLOW,
  create: O_RDWR | O_CREAT | O_EXCL,
};

/** The modes of new folders and files: for their user alone, because conversations are confidential. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Returns the disk of this machine, with the platform that its users get. */
export function diskWith(platform: Platform = systemPlatform): Disk {
  return {
    platform,
    open,
    close: (file) => fs.closeSync(file),
    write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.length, position),
    createFile,
    read: (file, target, position) => fs.readSync(file, target, 0, target.length, position),
    readFile,
    size: (file) => fs.fstatSync(file).size,
    sync,
    syncFolder,
    stat,
    list: (path) => fs.readdirSync(path),
    readFolder: (path) => fs.promises.readdir(path),
    makeFolder: (path) => fs.mkdirSync(path, FOLDER_MODE),
    rename: (from, to) => fs.renameSync(from, to),
    link: (existing, path) => fs.linkSync(existing, path),
    remove: (path) => fs.unlinkSync(path),
    removeFolder: (path) => fs.promises.rm(path, { recursive: true, force: true, maxRetries: 3 }),
    resolve: (path) => fs.realpathSync(path),
    fileSystem: (path) => fs.statfsSync(path).type,
    watch,
  };
}

/** The disk of this machine. */
export const nodeDisk: Disk = diskWith();

function open(path: string, mode: OpenMode): number {
  const file = fs.openSync(path, flags[mode], FILE_MODE);
  if (mode !== 'create') assertFile(file, path);
  return file;
}

/** Closes what was opened in place of a file, and throws: `EISDIR` for a folder, `EINVAL` for a FIFO, a socket or a device. */
function assertFile(file: number, path: string): void {
  try {
    const found = fs.fstatSync(file);
    if (found.isFile()) return;
    const [code, kind] = found.isDirectory() ? ['EISDIR', 'a folder'] : ['EINVAL', 'a FIFO, socket or device'];
    throw Object.assign(new Error(`${code}: expected a file, found ${kind}, open '${path}'`), { code });
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

/** Reads a file: opening and reading may wait for the device, the rest is done on the spot. */
function readFile(path: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags.read, (error, file) => {
      if (error) {
        reject(error);
        return;
      }
      try {
        assertFile(file, path);
      } catch (failure) {
        reject(failure);
        return;
      }
      // The file is read by its descriptor and closed by hand, because its path could name another file by now.
      fs.readFile(file, (failure, bytes) => {
        fs.closeSync(file);
        if (failure) reject(failure);
        else resolve(bytes);
      });
    });
  });
}

function stat(path: string): DiskStat | undefined {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'other';
  return { kind, size: found.size, inode: found.ino, modified: found.mtimeMs };
}

function sync(file: number, _: SyncSite, mayBlock = false): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!mayBlock) {
      fs.fdatasync(file, (error) => (error ? reject(error) : resolve()));
      return;
    }
    fs.fdatasyncSync(file);
    resolve();
  });
}

/** Makes a file. Only the name waits for the file system's journal, the content goes to the page cache. */
function createFile(path: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags.create, FILE_MODE, (error, file) => {
      if (error) {
        reject(error);
        return;
      }
      try {
        writeWhole(file, bytes);
        resolve();
      } catch (failure) {
        reject(failure);
      }
    });
  });
}

function writeWhole(file: number, bytes: Uint8Array): void {
  try {
    for (let written = 0; written < bytes.length;) written += fs.writeSync(file, bytes, written);
  } finally {
    fs.closeSync(file);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  try {
    await new Promise<void>((resolve, reject) => {
      fs.fsync(folder, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    fs.closeSync(folder);
  }
}

function watch(path: string, changed: () => void): () => void {
  try {
    const watcher = fs.watch(path, { persistent: false }, changed);
    // A watch that breaks off leaves polling.
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // No watches are left; polling finds the changes.
    return () => {};
  }
}
