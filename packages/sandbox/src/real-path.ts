import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Returns the path without symbolic links; `undefined` if nothing is there. */
export function realPath(path: string): string | undefined {
  try {
    // each start of a program asks for many, and the function without `native` takes twice as long
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Returns the path without the symbolic links on its way, also if nothing is there yet. */
export function ledTo(path: string): string {
  return realPath(path) ?? (path === '/' ? path : join(ledTo(dirname(path)), basename(path)));
}

/** Returns the real paths of the paths that are there. */
export function existing(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => realPath(path) ?? []);
}

/** True if a path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
