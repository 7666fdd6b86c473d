import type { AssessOptions } from '@conv/core';
import { withoutLinks } from './facts/links.ts';

/** True if folders of the shell must be looked up, because their names do not begin with the workspace. */
export function hasOtherFolders({ shellFolders, workingDirectory }: AssessOptions): boolean {
  return shellFolders?.some((folder) => !isWithin(folder, workingDirectory)) === true;
}

/**
 * Resolves the circumstances with folders of the shell that begin with the workspace where they lie in it: a shell may
 * name a folder without the links that lead to the workspace.
 */
export async function withNamedFolders(circumstances: AssessOptions): Promise<AssessOptions> {
  const { shellFolders = [], workingDirectory } = circumstances;
  if (workingDirectory === undefined) return circumstances;
  const root = await withoutLinks(workingDirectory);
  const named = async (folder: string): Promise<string> => {
    const real = isWithin(folder, workingDirectory) ? undefined : await withoutLinks(folder);
    return real !== undefined && isWithin(real, root) ? workingDirectory + real.slice(root?.length) : folder;
  };
  return { ...circumstances, shellFolders: await Promise.all(shellFolders.map(named)) };
}

function isWithin(path: string, folder: string | undefined): boolean {
  return folder !== undefined && (path === folder || path.startsWith(`${folder}/`));
}
