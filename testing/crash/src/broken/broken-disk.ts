import type { Disk } from '@conv/persist-fs';

import type { Breakage } from './breakage.ts';

const EPOCH_FILE = /epoch-(\d+)\.wal$/;

/** Returns the disk with the deliberate defects of disks. */
export function brokenDisk(disk: Disk, breakage: Breakage): Disk {
  if (breakage === 'unfenced') return unfencedDisk(disk);
  if (breakage === 'sealed') return sealedDisk(disk);
  return disk;
}

/** Hides every epoch that is newer than the epoch made through this disk. */
function unfencedDisk(disk: Disk): Disk {
  let own = Infinity;
  return override(disk, {
    open: (path, mode) => {
      const file = disk.open(path, mode);
      if (mode === 'create') own = epochOf(path) ?? own;
      return file;
    },
    stat: (path) => ((epochOf(path) ?? 0) > own ? undefined : disk.stat(path)),
    list: (path) => disk.list(path).filter((name) => (epochOf(name) ?? 0) <= own),
  });
}

function sealedDisk(disk: Disk): Disk {
  return override(disk, {
    open: (path, mode) => {
      if (mode === 'create' && (epochOf(path) ?? 0) > 2) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return disk.open(path, mode);
    },
  });
}

function override(disk: Disk, members: Partial<Disk>): Disk {
  return new Proxy(disk, {
    get: (target, key): unknown => (key in members ? Reflect.get(members, key) : Reflect.get(target, key)),
  });
}

function epochOf(path: string): number | undefined {
  const match = EPOCH_FILE.exec(path);
  return match ? Number(match[1]) : undefined;
}
