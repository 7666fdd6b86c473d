import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { realPath } from './real-path.ts';

/** The folders in a repository with which a git worktree works. */
export interface WorktreeFolders {
  /** The folder `.git` of the repository, which all its worktrees share. */
  readonly common: string;
  /** The folder in it that belongs to this worktree. */
  readonly own: string;
}

/**
 * Returns the folders with which the worktree in `workspace` works; `undefined` if it is no worktree. The repository must name it,
 * because an earlier program may have written the file `.git` to see another folder.
 */
export function worktreeOf(workspace: string): WorktreeFolders | undefined {
  const file = join(workspace, '.git');
  try {
    if (!lstatSync(file).isFile()) return undefined;
    const [, named = ''] = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    const own = realPath(resolve(workspace, named));
    if (own === undefined || basename(dirname(own)) !== 'worktrees') return undefined;
    const back = readFileSync(join(own, 'gitdir'), 'utf8').trim();
    return realPath(resolve(own, back)) === realPath(file) ? { common: dirname(dirname(own)), own } : undefined;
  } catch {
    return undefined;
  }
}
