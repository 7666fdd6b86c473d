import { mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Folder, HomeFolders } from '@conv/openhands/rest';

const USUAL_FAVORITES = ['Desktop', 'Documents', 'Downloads', 'Projects', 'projects', 'workspace', 'src', 'code'];

/** Resolves with the home folder, the usual folders in it, and other roots of this machine. */
export async function homeFolder(options: { readonly includeHidden: boolean }): Promise<HomeFolders> {
  const home = homedir();
  const usual = await subfolders(home, options).catch(() => []);
  const favorites = usual
    .filter(({ name }) => USUAL_FAVORITES.includes(name) || (options.includeHidden && name.startsWith('.')))
    .map(({ name, path }) => ({ label: name, path }));
  return { home, favorites: [{ label: 'Home', path: home }, ...favorites], locations: [{ label: '/', path: '/' }] };
}

/** Resolves with the folders in `folder`, sorted by name, including linked folders. Rejects as `readdir`. */
export async function subfolders(
  folder: string,
  { includeHidden }: { readonly includeHidden: boolean },
): Promise<readonly Folder[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!includeHidden && entry.name.startsWith('.')) return undefined;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await isDirectory(path)));
      return isFolder ? { name: entry.name, path } : undefined;
    }),
  );
  return found.filter((entry) => entry !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Makes a folder with its parents. Resolves with false when a file has that path; rejects as `mkdir`. */
export async function makeFolder(path: string): Promise<boolean> {
  const existing = await stat(path).catch(() => undefined);
  if (existing) return existing.isDirectory();
  await makeFolders(path);
  return true;
}

/**
 * Makes a folder and its missing parents. Rejects as `mkdir`. Makes them one by one, because Node.js loops forever where no folder
 * can be made, as in `/proc`.
 */
export async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isDirectory(path))) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    // another process was faster
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
