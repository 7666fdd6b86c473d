import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { addAll } from './add-all.ts';
import { copyEntry } from './copy-entry.ts';
import { GitError } from './run-git.ts';
import { withScratch } from './scratch-folder.ts';
import { type Repository, type RepositoryOptions, withRepository } from './with-repository.ts';

/** An entry that is not as in a commit. */
interface Changed {
  readonly path: string;
  /** The mode and the object that it has now: a file, a link, or the commit of another repository. No mode for an entry that is gone. */
  readonly mode: string;
  readonly object: string;
  /** True if the commit has an entry of this name. */
  readonly isKnown: boolean;
}

const GONE = '000000';
/** The mode of the commit of another repository. */
const REPOSITORY = '160000';

/** Options of the differences. */
export interface PatchOptions extends RepositoryOptions {
  /** Default: the last commit. */
  readonly baseRef?: string;
  readonly excludes: readonly string[];
}

/**
 * Returns the differences between a commit and the files of a folder, untracked files included, as a patch that `git apply`
 * takes. The repository stays unchanged. Files are read as they are on disk, without the
 * filters that the repository's settings name. Rejects `GitError` outside a repository and for an unknown `baseRef`.
 *
 * Git finds out which files have changed, and reads them by their paths. A program that works in the folder can put a link on such a path at any moment, so the texts of the
 * patch are those of copies, which this process makes of the files in the folder alone.
 */
export function gitPatch(folder: string, options: PatchOptions): Promise<string> {
  return withRepository(folder, options, async (repository) => {
    if (repository === undefined) throw new GitError(`not a git repository: ${folder}`);
    const { git, top, otherIndex } = repository;
    const ref = options.baseRef ?? 'HEAD';
    const base = (await git(folder, ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`])).trim();
    const pathspecs = ['.', ...options.excludes.flatMap(toPathspecs)];
    const index = { GIT_INDEX_FILE: otherIndex };
    await git(folder, ['read-tree', base], index);
    await addAll(git, folder, pathspecs, index);
    const raw = await git(
      folder,
      [...CACHED, '--raw', '--no-renames', '--no-abbrev', '-z', base, '--', ...pathspecs],
      index,
    );
    return withScratch(async (scratch) => {
      const copies = {
        git,
        folder: join(scratch, 'copies'),
        index: join(scratch, 'index'),
        list: join(scratch, 'list'),
      };
      const place = join(copies.folder, relative(top, folder));
      await mkdir(place, { recursive: true });
      const inCopies = await addCopies(copies, top, base, changedIn(raw));
      return git(place, [...CACHED, '--binary', '--relative', base, '--', ...pathspecs], inCopies);
    });
  });
}

const CACHED = ['diff', '--cached', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];

interface Copies extends Pick<Repository, 'git'> {
  readonly folder: string;
  readonly index: string;
  /** The file with the paths for git. */
  readonly list: string;
}

/** Copies what has changed in a work tree, and makes an index of the commit with the copies. Resolves with the variables with which git finds both. */
async function addCopies(
  { git, folder, index, list }: Copies,
  top: string,
  base: string,
  changed: readonly Changed[],
): Promise<Readonly<Record<string, string>>> {
  const found = { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder, GIT_LITERAL_PATHSPECS: '1' };
  await git(folder, ['read-tree', base], found);
  const paths: string[] = [];
  for (const { path, mode, object, isKnown } of changed) {
    if (mode === REPOSITORY)
      await git(folder, ['update-index', '--add', '--cacheinfo', `${mode},${object},${path}`], found);
    else if ((mode !== GONE && (await copyEntry(top, path, folder))) || isKnown) paths.push(path);
  }
  await writeFile(list, paths.join('\0'));
  // also entries of which there is no copy: they are gone
  const added = ['add', '--all', '--force', `--pathspec-from-file=${list}`, '--pathspec-file-nul'];
  if (paths.length > 0) await git(folder, added, found);
  return { GIT_INDEX_FILE: index, GIT_WORK_TREE: folder };
}

/** Reads the raw format of differences. https://git-scm.com/docs/diff-format */
function changedIn(raw: string): readonly Changed[] {
  const words = raw.split('\0');
  const changed: Changed[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [before = '', mode = '', , object = ''] = (words[at] ?? '').slice(1).split(' ');
    changed.push({ path: words[at + 1] ?? '', mode, object, isKnown: before !== GONE });
  }
  return changed;
}

function toPathspecs(exclude: string): readonly string[] {
  const name = exclude.replace(/\/$/, '').replace(/^\//, '');
  const at = exclude.startsWith('/') || name.includes('/') ? '' : '**/';
  return [`:(exclude,glob)${at}${name}`, `:(exclude,glob)${at}${name}/**`];
}
