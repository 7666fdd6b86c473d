import { mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

import { Turns, type Platform } from '@conv/core/platform';

import { runGit, type RunGit } from './run-git.ts';
import { patient } from './patient-git.ts';
import { saveWork } from './save-work.ts';
import { withoutFilters } from './without-filters.ts';
import { WrongChoice, type Worktree, type WorktreeChoice, type WorktreePlan } from './worktree.ts';

/** Options of worktrees. */
export interface WorktreeOptions {
  /** Absolute; made when it is needed. Default: `conversation-worktrees` in the system's folder for temporary files. */
  readonly folder?: string;
  /** The environment of git. Default: `PATH` and `HOME` of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The folder next to a worktree with one empty file for each conversation that works in it. */
const USERS = '.used-by';

/**
 * Git worktrees of conversations, each in a folder `<id>/<name of the repository>`. Nothing is fetched, and no program runs that a
 * repository names. Work that is not committed survives the end of a worktree as a commit.
 */
export class Worktrees {
  readonly folder: string;
  readonly #git: RunGit;
  readonly #making = new Map<string, Promise<void>>();
  /**
   * Changes to the shared data of a repository's worktrees run one after the other. `git worktree prune` takes an entry that `git
   * worktree add` has just begun for a dead one. Two concurrent changes of the settings meet in a lock for which git does not wait.
   */
  readonly #changes = new Turns();

  constructor(platform: Platform, options: WorktreeOptions = {}) {
    const { PATH = '', HOME = '' } = process.env;
    this.folder = options.folder ?? join(tmpdir(), 'conversation-worktrees');
    this.#git = patient(runGit(options.environment ?? { PATH, HOME }), platform);
  }

  /**
   * Resolves with a plan of a worktree for the repository around `source`, and changes nothing. Resolves with `undefined` without
   * a repository, or for a repository without a commit. Rejects `WrongChoice` for a ref that it does not have,
   * and for a beginning of a branch that git refuses.
   */
  async plan(id: string, source: string, choice: WorktreeChoice = {}): Promise<WorktreePlan | undefined> {
    const repository = await this.#ask(source, 'rev-parse', '--show-toplevel');
    if (repository === undefined) return undefined;
    const start = await this.#start(repository, choice);
    if (start === undefined) return undefined;
    const root = join(this.folder, id, basename(repository) || 'repository');
    const folder = join(root, relative(repository, source));
    const branch = await this.#freeBranch(repository, await this.#branch(repository, id, choice));
    return { root, folder, branch, source, repository, start };
  }

  /**
   * Makes the worktree and checks its branch out. Resolves with false when another request for the conversation makes it at the same time.
   * Rejects `GitError` and errors of the file system; nothing is left then.
   */
  async make(id: string, plan: WorktreePlan): Promise<boolean> {
    const other = this.#making.get(id);
    if (other) {
      await other.catch(() => {});
      return false;
    }
    const making = this.#inTurn(plan, () => this.#make(id, plan)).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    await making;
    return true;
  }

  async #make(id: string, plan: WorktreePlan): Promise<void> {
    const { root, folder, branch, repository, start } = plan;
    // left behind by a process that ended before it made the conversation
    await this.#release(plan, id);
    await mkdir(join(this.folder, id, USERS), { recursive: true, mode: 0o700 });
    try {
      await this.#git(repository, ['worktree', 'add', '--no-checkout', '--no-track', '-b', branch, root, start]);
      const git = await withoutFilters(this.#git, root);
      await git(root, ['reset', '--quiet', '--hard']);
      // the start commit may lack the folder, for example because git ignores it
      await mkdir(folder, { recursive: true });
      await this.share(plan, id);
    } catch (error) {
      await this.#release(plan, id).catch(() => {});
      throw error;
    }
  }

  /** Notes that another conversation works in the worktree, so that it stays until both are deleted. */
  async share({ root }: Worktree, id: string): Promise<void> {
    if (this.#owns(root)) await writeFile(join(dirname(root), USERS, id), '');
  }

  /**
   * Releases the worktree for a conversation that was deleted. The last conversation removes it, and its branch unless that has
   * commits of its own. Uncommitted work becomes a commit first. Rejects `GitError`, and the worktree stays then.
   */
  async release(worktree: Worktree, id: string): Promise<void> {
    await this.#inTurn(worktree, () => this.#release(worktree, id));
  }

  async #release(worktree: Worktree, id: string): Promise<void> {
    const { root, branch, repository } = worktree;
    if (!this.#owns(root)) return;
    const users = join(dirname(root), USERS);
    await rm(join(users, id), { force: true });
    if ((await readdir(users).catch(() => [])).length > 0) return;
    if (await this.#isThere(root)) {
      await saveWork(await withoutFilters(this.#git, root), worktree, id);
      await this.#git(repository, ['worktree', 'remove', '--force', root]);
    }
    // git counts the branch as checked out until it forgets the removed worktree
    await this.#git(repository, ['worktree', 'prune']);
    await this.#dropBranch(repository, branch);
    await rm(users, { recursive: true, force: true });
    // a folder with other content stays
    await rmdir(dirname(root)).catch(() => {});
  }

  /** Runs changes of one repository's worktrees in turn. All its worktrees share one common folder, which identifies it. */
  async #inTurn<T>({ repository }: Worktree, work: () => Promise<T>): Promise<T> {
    const shared = await this.#ask(repository, 'rev-parse', '--path-format=absolute', '--git-common-dir');
    return this.#changes.run(work, shared ?? repository);
  }

  /** True if the stored folder is in ours, because a stored path may name any folder. */
  #owns(root: string): boolean {
    return dirname(dirname(root)) === this.folder;
  }

  async #isThere(root: string): Promise<boolean> {
    return (await this.#ask(root, 'rev-parse', '--show-toplevel')) !== undefined;
  }

  /** Resolves with the commit that was chosen; by default the newest known one of the default branch of `origin`, else of `main`, `master`, or HEAD. */
  async #start(repository: string, { base, ref }: WorktreeChoice): Promise<string | undefined> {
    if (base === 'ref' && ref) {
      const commit = await this.#ask(repository, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
      if (commit !== undefined) return commit;
      throw new WrongChoice(
        'ref',
        `expected a branch, tag or commit of ${repository}, found ${ref}; fetch it there first`,
      );
    }
    const names = ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master', 'HEAD'];
    for (const name of base === 'head' ? ['HEAD'] : names) {
      const commit = await this.#ask(repository, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`);
      if (commit !== undefined) return commit;
    }
    return undefined;
  }

  /** Resolves with the name of the branch of a conversation. */
  async #branch(
    repository: string,
    id: string,
    { branch_prefix: prefix = 'openhands/' }: WorktreeChoice,
  ): Promise<string> {
    const branch = `${prefix}${id}`;
    if ((await this.#ask(repository, 'check-ref-format', '--branch', branch)) !== undefined) return branch;
    throw new WrongChoice(
      'branch_prefix',
      `expected the beginning of a name that git takes for a branch, found ${prefix}`,
    );
  }

  /** Returns an unused branch name, because the branch of an earlier conversation with this id may hold work. */
  async #freeBranch(repository: string, branch: string): Promise<string> {
    for (let count = 1; ; count++) {
      const name = count === 1 ? branch : `${branch}-${count}`;
      if ((await this.#ask(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/${name}`)) === undefined)
        return name;
    }
  }

  async #dropBranch(repository: string, branch: string): Promise<void> {
    const others = ['--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
    const own = await this.#ask(repository, 'rev-list', '--max-count=1', `refs/heads/${branch}`, ...others);
    if (own === '') await this.#git(repository, ['branch', '--delete', '--force', '--', branch]);
  }

  /** Resolves with git's output without the final newline; `undefined` when git fails. */
  async #ask(folder: string, ...args: readonly string[]): Promise<string | undefined> {
    const answer = await this.#git(folder, args).catch(() => undefined);
    return answer?.replace(/\n$/, '');
  }
}
