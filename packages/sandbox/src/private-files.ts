import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Mount } from './mounts.ts';
import { isTransient, notChecked } from './transient.ts';

/**
 * Returns mounts over the files and folders in `folder` that not every user may read. The user of this process may be root, who reads
 * all of them. Throws `ToolError` `FAILED` if this process can open no folder now.
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
    if (about.isDirectory()) return isOpen ? privateIn(path) : [{ kind: 'empty', path }];
    return isOpen ? [] : [{ kind: 'blank', path }];
  });
}
