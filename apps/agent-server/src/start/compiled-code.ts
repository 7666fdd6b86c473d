import { accessSync, constants, lstatSync, mkdirSync, realpathSync } from 'node:fs';
// its default, so that a Node without these functions starts the program, which says what Node it needs
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';

/** The right of others to write. */
const BY_OTHERS = 0o022;
/** The right of the owners of files alone to move them away, although others write in the folder. */
const STICKY = 0o1000;

/**
 * Keeps the compiled code of this program in the cache folder of its user, so that later starts compile less. Node writes it when the process ends in
 * order. The first start only makes the folder: to look for code that is not there takes longer than to compile it, and a container that was just made has no later start.
 *
 * A process runs what it finds there. Does nothing where this user cannot write to the program itself, because commands of agents that run as the same user
 * could then change by the folder what they cannot change otherwise; where another user could write into the folder, or put another one in its place; where it
 * cannot be made; and where `NODE_COMPILE_CACHE` names a folder for Node already.
 *
 * @param program the folder of the program
 */
export function keepCompiledCode(program: string = import.meta.dirname): void {
  if (nodeModule.getCompileCacheDir() !== undefined) return;
  try {
    accessSync(program, constants.W_OK);
    const folder = defaultFolder();
    const isFirst = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    const place = join(realpathSync(dirname(folder)), basename(folder));
    if (!isFirst && isOwn(place)) nodeModule.enableCompileCache(place);
  } catch {
    // a home that cannot be written, or a program that cannot: each start compiles everything
  }
}

/** Returns the folders whose code this process runs, and would run at a later start. A user without a home has no folder for later starts. */
export function compiledCode(): readonly string[] {
  const now = nodeModule.getCompileCacheDir();
  const used = now === undefined ? [] : [now];
  try {
    return [...used, defaultFolder()];
  } catch {
    return used;
  }
}

function defaultFolder(): string {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  // a relative one would lead into the folder in which the program was started
  return join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'conv', 'compiled');
}

/** True for a folder that this user alone can write to, and in whose place no other user can put another one. `folder`: its real path. */
function isOwn(folder: string): boolean {
  const user = process.getuid?.();
  // Windows has no such modes, and a home there is its user's
  if (user === undefined) return true;
  const { uid, mode } = lstatSync(folder);
  return uid === user && (mode & BY_OTHERS) === 0 && isKept(dirname(folder), user);
}

/** True if no other user can move what is in a folder, or the folder itself. */
function isKept(folder: string, user: number): boolean {
  const { uid, mode } = lstatSync(folder);
  const isOpen = (mode & BY_OTHERS) !== 0 && (mode & STICKY) === 0;
  if (isOpen || (uid !== user && uid !== 0)) return false;
  return dirname(folder) === folder || isKept(dirname(folder), user);
}
