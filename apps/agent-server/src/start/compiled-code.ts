import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Keeps the compiled code of this program in the cache folder of its user, so that later starts compile less. Node writes it when the process ends in
 * order. The first start only makes the folder: to look for code that is not there takes longer than to compile it, and a container that was just made has no later start.
 * Does nothing where the folder cannot be made, where another user could write into it, because a process runs what it finds there, and where
 * `NODE_COMPILE_CACHE` names a folder for Node already.
 */
export function keepCompiledCode(): void {
  if (getCompileCacheDir() !== undefined) return;
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'conv', 'compiled');
  try {
    const isFirst = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    if (!isFirst && isOwn(folder)) enableCompileCache(folder);
  } catch {
    // a home that cannot be written: each start compiles everything
  }
}

/** True for a folder that this user alone can write to. */
function isOwn(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  // Windows has no such modes, and a home there is its user's
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}
