import { realpathSync, statSync } from 'node:fs';

/** Returns the path without symbolic links; `undefined` if nothing is there. */
export function realPath(path: string): string | undefined {
  try {
    // each start of a program asks for many, and the function without `native` takes twice as long
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Returns the real paths of the paths that are there. */
export function existing(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => realPath(path) ?? []);
}

/** True if a path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
