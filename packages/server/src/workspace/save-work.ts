import { addAll } from './add-all.ts';
import type { RunGit } from './run-git.ts';
import type { Worktree } from './worktree.ts';

/** The author of commits with work that a deleted conversation left behind. */
const IDENTITY = ['-c', 'user.name=conv agent server', '-c', 'user.email=agent-server@localhost'];

/** Commits all uncommitted files in the worktree except ignored files, and makes a branch for a detached commit. */
export async function saveWork(git: RunGit, { root, branch }: Worktree, id: string): Promise<void> {
  if ((await git(root, ['status', '--porcelain', '-z', '--ignore-submodules=dirty'])) !== '') {
    await addAll(git, root);
    const message = `Keep what conversation ${id} had not committed when it was deleted`;
    await git(root, [...IDENTITY, 'commit', '--quiet', '--no-verify', '--no-gpg-sign', '--message', message]);
  }
  const head = await git(root, ['symbolic-ref', '--quiet', 'HEAD']).catch(() => undefined);
  if (head !== undefined) return;
  const own = await git(root, ['rev-list', '--max-count=1', 'HEAD', '--not', '--branches', '--remotes', '--tags']);
  if (own !== '') await git(root, ['branch', '--force', '--', `${branch}-detached`, 'HEAD']);
}
