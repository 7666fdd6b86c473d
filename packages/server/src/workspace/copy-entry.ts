import { constants, createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { PathError } from './allowed-folders.ts';
import { inFolder } from './open-allowed.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Errors of a file that is gone, that has become something else, or that a link took the place of. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/**
 * Copies a file or a symbolic link of a folder to the same path in another one. Resolves with false for what is not there, is neither, or is reached through a link, which a
 * program may have put there meanwhile.
 *
 * @param folder its real path
 */
export async function copyEntry(folder: string, path: string, to: string): Promise<boolean> {
  const [from, target] = [join(folder, path), join(to, path)];
  try {
    return await inFolder(dirname(from), async (place) => {
      const here = join(place, basename(from));
      await mkdir(dirname(target), { recursive: true });
      if (!(await lstat(here)).isSymbolicLink()) return await copyFile(here, target);
      await symlink(await readlink(here), target);
      return true;
    });
  } catch (error) {
    if (error instanceof PathError || GONE.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

async function copyFile(from: string, to: string): Promise<boolean> {
  await using file = await open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const about = await file.stat();
  if (!about.isFile()) return false;
  // its right to be executed is a part of the patch
  const mode = (about.mode & 0o100) === 0 ? 0o600 : 0o700;
  await pipeline(file.createReadStream({ autoClose: false }), createWriteStream(to, { flags: 'wx', mode }));
  return true;
}
