import fs from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import type { Disk, DiskStat, OpenMode, SyncSite } from './disk.ts';

const flags: Readonly<Record<OpenMode, string>> = { read: 'r', update: 'r+', create: 'wx+' };

/** The disk of this machine. */
export const nodeDisk: Disk = {
  open: (path, mode) => fs.openSync(path, flags[mode], 0o666),
  close: (file) => fs.closeSync(file),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.length, position),
  createFile,
  read: (file, target, position) => fs.readSync(file, target, 0, target.length, position),
  readFile: (path) => readFile(path),
  size: (file) => fs.fstatSync(file).size,
  sync,
  syncFolder,
  stat,
  list: (path) => fs.readdirSync(path),
  makeFolder: (path) => fs.mkdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  link: (existing, path) => fs.linkSync(existing, path),
  remove: (path) => fs.unlinkSync(path),
  removeFolder: (path) => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  resolve: (path) => fs.realpathSync(path),
  fileSystem: (path) => fs.statfsSync(path).type,
  watch,
};

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

/** Only the name waits for the file system's journal: the content goes to the page cache, for which a thread is the longer way. */
function createFile(path: string, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.open(path, 'wx', 0o666, (error, file) => {
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
  const folder = fs.openSync(path, 'r');
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
    // no watches left: polling is the net
    return () => {};
  }
}
