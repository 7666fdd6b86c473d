import { stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';
import type { GitChange, GitCommit, GitCommitsPage, GitDiff } from '@conv/openhands/rest';

import type { Access } from '../auth/access-keys.ts';
import { openAllowed } from './open-allowed.ts';
import { GitError, type RunGit } from './run-git.ts';
import { withRepository, type RepositoryOptions } from './with-repository.ts';

// the empty tree, which git knows without storing it
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The differences, with files named relative to the folder. */
const DIFF = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  // the files of a submodule belong to another repository, which has its own settings
  '--ignore-submodules=dirty',
  '--name-status',
  '-z',
  '-M',
  '--relative',
];

/** Reads the repositories of one machine. Changes nothing, and runs no program that a repository names. */
export class Git {
  readonly #options: RepositoryOptions;

  constructor(options: RepositoryOptions) {
    this.#options = options;
  }

  /**
   * Lists the differences between `ref` and the files in `folder`, untracked files included. Default of `ref`: the commit where
   * the branch left its upstream, else the last commit. Resolves with an empty list outside a repository. Rejects {@link
   * GitError} for an unknown `ref`.
   */
  changes(folder: string, ref?: string): Promise<readonly GitChange[]> {
    return withRepository(folder, this.#options, async (repository) => {
      if (repository === undefined) return [];
      const { git } = repository;
      const base = ref === undefined ? await baseOf(git, folder) : await commitOf(git, folder, ref);
      const [tracked, untracked] = await Promise.all([
        git(folder, [...DIFF, base, '--', '.']),
        git(folder, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
      ]);
      const added = split(untracked).map((path): GitChange => ({ status: 'ADDED', path }));
      return [...readNameStatus(tracked), ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
    });
  }

  /** Lists the differences between a commit and its parent. Rejects {@link GitError} for an unknown commit. */
  commitChanges(folder: string, sha: string): Promise<readonly GitChange[]> {
    return withRepository(folder, this.#options, async (repository) => {
      if (repository === undefined) throw new GitError(`Unknown revision: ${sha}`);
      const commit = await commitOf(repository.git, folder, sha);
      const parent = await parentOf(repository.git, folder, commit);
      return readNameStatus(await repository.git(folder, [...DIFF, parent, commit, '--', '.']));
    });
  }

  /**
   * Returns both sides of a file: its current text and its text at `ref`, or its texts after and before `commit`. Rejects {@link
   * GitError} for an unknown commit, and for a file that exists on neither side, and as {@link openAllowed}.
   *
   * @param file the real path; a link that is put on it meanwhile is not followed
   */
  async diff(
    file: string,
    { ref, commit, access }: { readonly ref?: string; readonly commit?: string; readonly access: Access },
  ): Promise<GitDiff> {
    const folder = await existingFolder(dirname(file));
    return withRepository(folder, this.#options, async (repository) => {
      if (repository === undefined) throw new GitError(`Not in a git repository: ${file}`);
      const { git, top } = repository;
      const path = relative(top, file).split(sep).join('/');
      if (commit !== undefined) {
        const sha = await commitOf(git, folder, commit);
        const [modified, original] = await Promise.all([
          contentOf(git, folder, sha, path),
          contentOf(git, folder, await parentOf(git, folder, sha), path),
        ]);
        return { modified, original };
      }
      const base = ref === undefined ? await baseOf(git, folder) : await commitOf(git, folder, ref);
      const [modified, original] = await Promise.all([this.#textOf(file, access), contentOf(git, folder, base, path)]);
      if (modified === null && original === null) throw new GitError(`File does not exist: ${file}`);
      return { modified, original };
    });
  }

  /** Resolves with the text of a file, `null` if nothing is there. It is opened before it is checked, because programs move folders and links at any moment. */
  async #textOf(file: string, access: Access): Promise<string | null> {
    try {
      const { handle } = await openAllowed(this.#options.folders, file, access);
      try {
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return null;
      throw error;
    }
  }

  /** Returns the newest commits of the branch; none outside a repository and in a repository without commits. */
  commits(folder: string, limit: number): Promise<GitCommitsPage> {
    return withRepository(folder, this.#options, async (repository) => {
      const head = repository && (await headOf(repository.git, folder));
      if (repository === undefined || head === undefined) return { commits: [], has_more: false };
      const format = '%H%x1f%h%x1f%s%x1f%an%x1f%cI';
      const args = ['log', '-z', '--no-show-signature', `--max-count=${limit + 1}`, `--format=${format}`];
      const commits = split(await repository.git(folder, args)).map((line): GitCommit => {
        const [sha = '', short_sha = '', subject = '', author = '', timestamp = ''] = line.split('\x1f');
        return { sha, short_sha, subject, author, timestamp };
      });
      return { commits: commits.slice(0, limit), has_more: commits.length > limit };
    });
  }
}

function headOf(git: RunGit, folder: string): Promise<string | undefined> {
  return commitOf(git, folder, 'HEAD').catch(() => undefined);
}

/**
 * Resolves with the commit at which the branch left its upstream, so that commits that were not pushed count as changes; else
 * with the last commit.
 */
async function baseOf(git: RunGit, folder: string): Promise<string> {
  const head = await headOf(git, folder);
  if (head === undefined) return EMPTY_TREE;
  for (const upstream of ['@{upstream}', 'origin/HEAD']) {
    const base = await git(folder, ['merge-base', 'HEAD', upstream]).catch(() => undefined);
    if (base !== undefined) return base.trim();
  }
  return head;
}

async function commitOf(git: RunGit, folder: string, ref: string): Promise<string> {
  // a name that begins with a dash would be an option
  if (ref.startsWith('-')) throw new GitError(`Unknown revision: ${ref}`);
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const answer = await git(folder, args).catch(() => {
    throw new GitError(`Unknown revision: ${ref}`);
  });
  return answer.trim();
}

function parentOf(git: RunGit, folder: string, commit: string): Promise<string> {
  return commitOf(git, folder, `${commit}^`).catch(() => EMPTY_TREE);
}

function contentOf(git: RunGit, folder: string, tree: string, path: string): Promise<string | null> {
  return git(folder, ['show', '--no-textconv', `${tree}:${path}`]).catch(() => null);
}

function readNameStatus(text: string): readonly GitChange[] {
  const words = split(text);
  const changes: GitChange[] = [];
  for (let at = 0; at < words.length;) {
    const letter = words[at++]?.[0];
    const path = words[at++] ?? '';
    if (letter === 'R') changes.push({ status: 'MOVED', path: words[at++] ?? path });
    else if (letter === 'C') changes.push({ status: 'ADDED', path: words[at++] ?? path });
    else changes.push({ status: letter === 'A' ? 'ADDED' : letter === 'D' ? 'DELETED' : 'UPDATED', path });
  }
  return changes;
}

function split(text: string): readonly string[] {
  return text.split('\0').filter((word) => word !== '');
}

/** Resolves with the nearest existing folder above, because a deleted file's folder may be gone too. */
async function existingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  const parent = dirname(folder);
  return found?.isDirectory() || parent === folder ? folder : existingFolder(parent);
}
