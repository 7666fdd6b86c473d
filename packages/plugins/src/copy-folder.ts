import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';

import { PluginError } from './plugin-error.ts';

/** Limits of the size of a plugin or a skill. */
export interface Limits {
  /** Files, folders and links. */
  readonly entries: number;
  /** Bytes of all files together. */
  readonly bytes: number;
}

const MAX_DEPTH = 32;
/** Opens no link, and waits for no pipe that came into the place of a file. */
const OF_FILES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Folders that belong to a repository and not to its content. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git']);

/** Copies a folder, and makes a digest of what it copied. */
export class FolderCopy {
  readonly #limits: Limits;
  readonly #hash = createHash('sha256');
  #entries = 0;
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Digest of all paths, rights to execute and contents, as hexadecimal digits. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }

  /**
   * Copies files, folders and links to a new folder. A file keeps its right to be executed, and no other. A link must lead to a place in the
   * folder. Folders `.git` are left out. Rejects {@link PluginError} `TOO_LARGE`, and `INVALID` for links that lead elsewhere, for devices,
   * sockets and pipes.
   *
   * @param from a real path, on which a program may put links while it is copied: no file elsewhere is read through them
   */
  async copy(from: string, to: string, inside = ''): Promise<void> {
    if (inside.split('/').length > MAX_DEPTH)
      throw new PluginError(
        'TOO_LARGE',
        `${inside}: expected at most ${MAX_DEPTH} nested folders, found more; nest fewer`,
      );
    await mkdir(join(to, inside), { recursive: true, mode: 0o755 });
    for (const name of (await readdir(join(from, inside))).toSorted()) {
      if (LEFT_OUT.has(name)) continue;
      const path = inside === '' ? name : `${inside}/${name}`;
      this.#countEntry(path);
      const found = await lstat(join(from, path));
      if (found.isDirectory()) await this.copy(from, to, path);
      else if (found.isSymbolicLink()) await this.#copyLink(from, to, path);
      else if (found.isFile()) await this.#copyFile(from, to, path);
      else throw new PluginError('INVALID', `${path}: expected a file, a folder or a link, found something else`);
    }
  }

  async #copyFile(from: string, to: string, path: string): Promise<void> {
    // opened once, so that what is counted is what is copied, whatever the name leads to meanwhile
    const file = await open(join(from, path), OF_FILES);
    let content: Buffer;
    let mode: number;
    try {
      const about = await file.stat();
      if (!about.isFile() || !(await isOf(file, join(from, path))))
        throw new PluginError('INVALID', `${path}: expected a file of the folder, found something else`);
      this.#countBytes(path, about.size);
      content = Buffer.alloc(about.size);
      const { bytesRead } = await file.read(content, 0, about.size, 0);
      content = content.subarray(0, bytesRead);
      mode = (about.mode & 0o100) === 0 ? 0o644 : 0o755;
    } finally {
      await file.close();
    }
    this.#add('file', path, String(mode), content);
    await writeFile(join(to, path), content, { mode, flag: 'wx' });
    // the mask of the process may have taken rights away
    await chmod(join(to, path), mode);
  }

  async #copyLink(from: string, to: string, path: string): Promise<void> {
    const target = await readlink(join(from, path));
    if (!staysInside(path, target))
      throw new PluginError('INVALID', `${path}: expected a link to a place in the folder, found one to ${target}`);
    this.#add('link', path, '', Buffer.from(target));
    await symlink(target, join(to, path));
  }

  #add(kind: string, path: string, mode: string, content: Buffer): void {
    this.#hash.update(`${kind}\0${path}\0${mode}\0${content.byteLength}\0`).update(content);
  }

  #countEntry(path: string): void {
    this.#entries += 1;
    const { entries } = this.#limits;
    if (this.#entries > entries) throw new PluginError('TOO_LARGE', `${path}: expected at most ${entries} files`);
  }

  #countBytes(path: string, bytes: number): void {
    this.#bytes += bytes;
    const { bytes: most } = this.#limits;
    if (this.#bytes > most) throw new PluginError('TOO_LARGE', `${path}: expected at most ${most} bytes in all`);
  }
}

/**
 * True if an opened file is the one at a real path, with no link on the way. The kernel tells it of the file that is open, so links that come and go
 * change nothing. A system without `/proc` is asked for the path again.
 */
async function isOf(file: FileHandle, path: string): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
  return opened === path;
}

/**
 * True if a link stays in the copied folder. A target may climb at its beginning alone: behind another link `..` would lead out of where that
 * link led.
 */
function staysInside(path: string, target: string): boolean {
  const way = target.split('/');
  const down = way.findIndex((part) => part !== '..' && part !== '.');
  const place = normalize(join(dirname(path), target));
  const climbsAgain = down !== -1 && way.slice(down).includes('..');
  return !isAbsolute(target) && !climbsAgain && place !== '..' && !place.startsWith('../');
}
