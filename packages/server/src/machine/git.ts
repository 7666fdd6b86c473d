import { readFile, stat } from 'node:fs/promises';
import { dirname, relative, sep } from 'node:path';

import type { GitChange, GitCommit, GitCommitsPage, GitDiff } from '@conv/protocol';

import { GitError, type RunGit, runGit } from './run-git.ts';

// the tree of no file, which git knows without having it
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** What git knows of the folders of one machine. Changes nothing. */
export class Git {
  readonly #git: RunGit;

  /** @param environment of git's process */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#git = runGit(environment);
  }

  /**
   * What differs between `ref` and the files in `folder`, those that git does not track included. Default of `ref`: where the branch
   * left its upstream, else the last commit. Nothing outside of a repository. Rejects {@link GitError} for an unknown `ref`.
   */
  async changes(folder: string, ref?: string): Promise<readonly GitChange[]> {
    if ((await this.#root(folder)) === undefined) return [];
    const base = ref === undefined ? await this.#base(folder) : await this.#commit(folder, ref);
    const [tracked, untracked] = await Promise.all([
      this.#git(folder, [
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        '--name-status',
        '-z',
        '-M',
        '--relative',
        base,
        '--',
        '.',
      ]),
      this.#git(folder, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']),
    ]);
    const added = split(untracked).map((path): GitChange => ({ status: 'ADDED', path }));
    return [...readNameStatus(tracked), ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** What differs between a commit and the one before it. Rejects {@link GitError} for an unknown one. */
  async commitChanges(folder: string, sha: string): Promise<readonly GitChange[]> {
    const commit = await this.#commit(folder, sha);
    const parent = await this.#parent(folder, commit);
    return readNameStatus(
      await this.#git(folder, [
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        '--name-status',
        '-z',
        '-M',
        '--relative',
        parent,
        commit,
        '--',
        '.',
      ]),
    );
  }

  /**
   * Both sides of a file: as it is and as it was at `ref`, or after and before `commit`. Rejects {@link GitError} for what is unknown, and
   * for a file that is nowhere.
   */
  async diff(file: string, { ref, commit }: { readonly ref?: string; readonly commit?: string }): Promise<GitDiff> {
    const folder = await existingFolder(dirname(file));
    const root = await this.#root(folder);
    if (root === undefined) throw new GitError(`Not in a git repository: ${file}`);
    const path = relative(root, file).split(sep).join('/');
    if (commit !== undefined) {
      const sha = await this.#commit(folder, commit);
      const [modified, original] = await Promise.all([
        this.#content(folder, sha, path),
        this.#content(folder, await this.#parent(folder, sha), path),
      ]);
      return { modified, original };
    }
    const base = ref === undefined ? await this.#base(folder) : await this.#commit(folder, ref);
    const [modified, original] = await Promise.all([textOf(file), this.#content(folder, base, path)]);
    if (modified === null && original === null) throw new GitError(`File does not exist: ${file}`);
    return { modified, original };
  }

  /** The newest commits of the branch. Nothing outside of a repository and in one without a commit. */
  async commits(folder: string, limit: number): Promise<GitCommitsPage> {
    const none = { commits: [], has_more: false };
    if ((await this.#root(folder)) === undefined || (await this.#head(folder)) === undefined) return none;
    const format = '%H%x1f%h%x1f%s%x1f%an%x1f%cI';
    const log = await this.#git(folder, ['log', '-z', `--max-count=${limit + 1}`, `--format=${format}`]);
    const commits = split(log).map((line): GitCommit => {
      const [sha = '', short_sha = '', subject = '', author = '', timestamp = ''] = line.split('\x1f');
      return { sha, short_sha, subject, author, timestamp };
    });
    return { commits: commits.slice(0, limit), has_more: commits.length > limit };
  }

  /** The top folder of the repository that `folder` is in. */
  async #root(folder: string): Promise<string | undefined> {
    const answer = await this.#git(folder, ['rev-parse', '--show-toplevel']).catch(() => undefined);
    return answer?.trimEnd();
  }

  #head(folder: string): Promise<string | undefined> {
    return this.#commit(folder, 'HEAD').catch(() => undefined);
  }

  /** Where the branch left its upstream, so that work which was committed but not pushed counts; else the last commit. */
  async #base(folder: string): Promise<string> {
    const head = await this.#head(folder);
    if (head === undefined) return EMPTY_TREE;
    for (const upstream of ['@{upstream}', 'origin/HEAD']) {
      const base = await this.#git(folder, ['merge-base', 'HEAD', upstream]).catch(() => undefined);
      if (base !== undefined) return base.trim();
    }
    return head;
  }

  async #commit(folder: string, ref: string): Promise<string> {
    // a name that begins with a dash would be an option
    if (ref.startsWith('-')) throw new GitError(`Unknown revision: ${ref}`);
    const answer = await this.#git(folder, [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${ref}^{commit}`,
    ]).catch(() => {
      throw new GitError(`Unknown revision: ${ref}`);
    });
    return answer.trim();
  }

  async #parent(folder: string, commit: string): Promise<string> {
    return this.#commit(folder, `${commit}^`).catch(() => EMPTY_TREE);
  }

  #content(folder: string, tree: string, path: string): Promise<string | null> {
    return this.#git(folder, ['show', '--no-textconv', `${tree}:${path}`]).catch(() => null);
  }
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

/** The nearest folder above that is there: a deleted file's own may be gone with it. */
async function existingFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  const parent = dirname(folder);
  return found?.isDirectory() || parent === folder ? folder : existingFolder(parent);
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
