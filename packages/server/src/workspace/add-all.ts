import type { RunGit } from './run-git.ts';

/**
 * Adds everything in a folder to the index, ignored files aside. `git add` would ask each repository that lies inside for its changes,
 * with the filters that its settings name; of those only the commit that is checked out is taken, which git reads without them.
 */
export async function addAll(
  git: RunGit,
  folder: string,
  pathspecs: readonly string[] = ['.'],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const listed = await git(folder, ['ls-files', '--stage', '-z', '--', ...pathspecs], environment);
  const inner = listed.split('\0').flatMap((entry) => /^160000 \S+ \d\t(.+)$/s.exec(entry)?.[1] ?? []);
  const others = inner.map((path) => `:(exclude,literal)${path}`);
  await git(folder, ['add', '--all', '--', ...pathspecs, ...others], environment);
  if (inner.length > 0) await git(folder, ['update-index', '--add', '--remove', '--', ...inner], environment);
}
