import type { RunGit } from './run-git.ts';

/**
 * Adds all files in a folder to the index, except ignored files. `git add` would run the filters of each nested repository to find
 * its changes. So only the checked-out commit of nested repositories is added, which git reads without filters.
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
