import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { isWithin, type Mount } from './mounts.ts';
import { privateIn } from './private-files.ts';
import { isFolder, realPath } from './real-path.ts';

/** Folders of the system, which programs need and which hold nothing of its users. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/snap'];

/** Folders of a home in which version managers keep programs, and no keys, by the folder in which they are. */
const PROGRAMS: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set(
    '.nvm .pyenv .rbenv .nodenv .goenv .jenv .rustup .volta .asdf .sdkman .fnm .deno .bun .dotnet .swiftly .juliaup .ghcup .rye miniconda3 miniforge3 mambaforge anaconda3'.split(
      ' ',
    ),
  ),
  '.local': new Set(['pipx']),
  '.local/share': new Set(['pipx', 'uv', 'mise', 'fnm', 'pnpm']),
};

/** Folders beside a folder of programs in which these look for their parts, and the file that makes them an environment of Python. */
const PARTS = ['lib', 'lib64', 'libexec', 'include', 'pyvenv.cfg'];

/** Returns what programs see of the system: its folders, but neither users nor services. */
export function systemMounts(): readonly Mount[] {
  const folders = SYSTEM.flatMap((path): Mount[] => {
    const about = lstatSync(path, { throwIfNoEntry: false });
    if (about === undefined) return [];
    if (about.isSymbolicLink()) return [{ kind: 'link', path, source: readlinkSync(path) }];
    return [{ kind: 'read', path, source: path }];
  });
  return [...folders, ...privateIn('/etc')];
}

/** Returns the file with the addresses of name servers when it lies outside of `/etc`, where a link leads to it. */
export function nameServers(): readonly string[] {
  const file = realPath('/etc/resolv.conf');
  return file === undefined || isWithin('/etc', file) ? [] : [file];
}

/**
 * Returns the folders with programs that are not the system's: those of PATH with their parts, and those of version managers. None is
 * the home, or a folder around it.
 */
export function programPaths(path: string, home: string): readonly string[] {
  const folders = path.split(':').filter((folder) => folder.startsWith('/'));
  const beside = folders
    .filter((folder) => basename(folder) === 'bin')
    .flatMap((folder) => PARTS.map((part) => join(dirname(folder), part)));
  // listed, because each start needs them, and patterns take a millisecond
  const managed = Object.entries(PROGRAMS).flatMap(([folder, names]) =>
    namesIn(join(home, folder))
      .filter((name) => names.has(name))
      .map((name) => join(home, folder, name)),
  );
  const realHome = realPath(home) ?? home;
  const isOutside = (path: string): boolean => {
    const real = realPath(path);
    return real !== undefined && !isWithin(real, realHome);
  };
  const named = [...folders, ...beside, ...managed].map((folder) => resolve(folder));
  // each start asks for them, and most are of the system
  return [...new Set(named)]
    .filter((path) => !SYSTEM.some((system) => isWithin(system, path)))
    .filter((path) => isOutside(path) && (isFolder(path) || basename(path) === 'pyvenv.cfg'));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
