import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Returns the folders that Node and a program of this package read: for the executor of a conversation, which sees no other folder of the
 * user. Packages of a workspace are links to folders beside the program, and have their parts there.
 */
export function programFolders(program: string): readonly string[] {
  const folders = new Set([process.execPath, program].map((file) => dirname(realpathSync(file))));
  const packages = [packageOf(realpathSync(program))];
  for (let folder = packages.pop(); folder !== undefined; folder = packages.pop()) {
    for (const part of ['dist', 'package.json', 'node_modules']) addExisting(folders, join(folder, part));
    for (const found of linkedFrom(folder)) if (!folders.has(join(found, 'dist'))) packages.push(found);
  }
  for (let folder = packageOf(realpathSync(program)); folder !== dirname(folder); folder = dirname(folder))
    addExisting(folders, basename(folder) === 'node_modules' ? folder : join(folder, 'node_modules'));
  return [...folders];
}

function addExisting(folders: Set<string>, path: string): void {
  if (existsSync(path)) folders.add(path);
}

/** Returns the folder of the package to which a file belongs. */
function packageOf(file: string): string {
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) || folder === dirname(folder) ? folder : packageOf(folder);
}

/** Returns the folders of packages of this repository that a package names, where they are not installed but linked. */
function linkedFrom(folder: string): readonly string[] {
  const scope = join(folder, 'node_modules', '@conv');
  if (!existsSync(scope)) return [];
  return readdirSync(scope)
    .map((name) => realpathSync(join(scope, name)))
    .filter((path) => !path.includes('/node_modules/') && existsSync(join(path, 'dist')));
}
