import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Mount } from './mounts.ts';
import { isTransient, notChecked } from './transient.ts';

/**
 * Returns mounts over the files and folders in `folder` that not every user may read, but the user of this process: root reads all of
 * them. Each mount is paid for at every start, and the kernel itself keeps the others from programs. Throws `ToolError` `FAILED` if this process can open no folder now.
 */
export function privateIn(folder: string): readonly Mount[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    // without these mounts programs would read the files
    if (isTransient(cause)) throw notChecked(folder, cause);
    return [];
  }
  return names.flatMap((name): readonly Mount[] => {
    const path = join(folder, name);
    const about = lstatSync(path, { throwIfNoEntry: false });
    if (about === undefined || about.isSymbolicLink()) return [];
    const isOpen = (about.mode & 0o4) !== 0;
    if (about.isDirectory() && isOpen) return privateIn(path);
    if (isOpen || isClosed(path)) return [];
    return [{ kind: about.isDirectory() ? 'empty' : 'blank', path }];
  });
}

/** True if the user of this process can neither read a file nor find anything in a folder. */
function isClosed(path: string): boolean {
  return [constants.R_OK, constants.X_OK].every((right) => {
    try {
      accessSync(path, right);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES';
    }
  });
}
