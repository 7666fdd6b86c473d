import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Disk, DiskStat, OpenMode } from './disk.ts';

const flags: Readonly<Record<OpenMode, string>> = { read: 'r', update: 'r+', create: 'wx+' };

/** The disk of this machine. */
export const nodeDisk: Disk = {
  open: (path, mode) => fs.openSync(path, flags[mode], 0o666),
  close: (file) => fs.closeSync(file),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.length, position),
  createFile: (path, bytes) =>
    new Promise((resolve, reject) => {
      fs.writeFile(path, bytes, { flag: 'wx' }, (error) => (error ? reject(error) : resolve()));
    }),
  read: (file, target, position) => fs.readSync(file, target, 0, target.length, position),
  size: (file) => fs.fstatSync(file).size,
  sync: (file) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(file, (error) => (error ? reject(error) : resolve()));
    }),
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
