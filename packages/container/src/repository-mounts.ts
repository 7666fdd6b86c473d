import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { checks } from '@conv/core';

/** Parts of a repository on which its owner's git acts, outside of the container. */
const PARTS = ['hooks', 'config'] as const;

/**
 * Returns mounts over the repository of a folder: programs inside read its hooks and its settings, and put no other repository in its place.
 * Without a repository there are none. Makes its folder of hooks if missing. Throws `INVALID_INPUT` for a symbolic link, in whose place programs could
 * put another one.
 */
export function repositoryMounts(folder: string, target: string): readonly object[] {
  const repository = kindOf(join(folder, '.git'));
  if (repository === undefined) return [];
  // the `.git` of a worktree is a file
  if (repository === 'file') return [mount('.git', true)];
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  const parts = PARTS.map((name) => `.git/${name}`).filter((path) => kindOf(join(folder, path)) !== undefined);
  // a folder on which something is mounted cannot be moved away
  return [mount('.git', false), ...parts.map((path) => mount(path, true))];

  function mount(path: string, isReadOnly: boolean): object {
    return { Type: 'bind', Source: join(folder, path), Target: join(target, path), ReadOnly: isReadOnly };
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const about = lstatSync(path, { throwIfNoEntry: false });
  if (about?.isSymbolicLink())
    throw checks.invalid(
      `ContainerWorkspace: folder: expected no symbolic link in its repository, which a program could replace, found one at ${path}; put a file or folder there`,
    );
  if (about === undefined) return undefined;
  return about.isDirectory() ? 'folder' : 'file';
}
