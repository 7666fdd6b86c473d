import type { Stats } from 'node:fs';
import type { Readable } from 'node:stream';

import { packFolder } from './pack-folder.ts';

/**
 * Names left out of archives by default: files that can be generated again, and git's own data. A name that ends with a slash is
 * a folder.
 */
export const DEFAULT_EXCLUDES: readonly string[] = [
  '.git/',
  'node_modules/',
  '.venv/',
  'venv/',
  '__pycache__/',
  '.mypy_cache/',
  '.pytest_cache/',
  '.ruff_cache/',
  'dist/',
  'build/',
  '.next/',
  'target/',
  '*.pyc',
];

// these files may hold URLs with passwords
const NEVER = /(?:^|\/)\.git\/(?:.*\/)?(?:config|credentials|config\.worktree)$/;

/**
 * Returns the files of a folder as a compressed tar stream, with links as links. `folder`: its real path. `isRefused`: resolves `true` for an
 * opened file that is left out.
 */
export function archiveFolder(
  folder: string,
  excludes: readonly string[],
  isRefused: (file: Stats) => Promise<boolean> = async () => false,
): Readable {
  const takes = (path: string): boolean => !NEVER.test(path) && !excludes.some((exclude) => isExcluded(path, exclude));
  return packFolder(folder, { takes, isRefused });
}

/** True if the pattern names the path or a folder above it: a plain name at any depth, a pattern with a slash by its place. */
function isExcluded(path: string, exclude: string): boolean {
  const names = path.split('/');
  const wanted = exclude.replace(/\/$/, '').replace(/^\//, '').split('/');
  if (wanted.length === 1 && !exclude.startsWith('/')) return names.some((name) => fitsGlob(name, wanted[0] as string));
  return wanted.length <= names.length && wanted.every((glob, at) => fitsGlob(names[at] as string, glob));
}

/**
 * True if a name matches a pattern of `*` and `?`. Takes at most as many steps as the product of their lengths, for any pattern.
 */
function fitsGlob(name: string, glob: string): boolean {
  let at = 0;
  let star = -1;
  let behindStar = 0;
  let from = 0;
  while (from < name.length) {
    if (glob[at] === '*') {
      star = at++;
      behindStar = from;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === name[from])) {
      at++;
      from++;
    } else if (star === -1) return false;
    else {
      // the last star matches one more character
      at = star + 1;
      from = ++behindStar;
    }
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
