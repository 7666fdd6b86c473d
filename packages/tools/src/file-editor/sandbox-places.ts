import { constants, type Dirent } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Confinement } from '@conv/core/tool';

import { describeFolder } from './describe-folder.ts';
import { ChangedMeanwhile, type DescribedEntry } from './files.ts';
import type { Place, Places } from './places.ts';
import { hasCode } from './write-file.ts';

/** `O_PATH` of Linux, which Node.js does not name: a handle to pass by, for which no right to read is needed. */
const O_PATH = 0x20_0000;
/** The number of times that a path is looked for while another program moves the folders on it. */
const MOST_TRIES = 20;

/**
 * The files that programs of a sandbox reach, at the same paths.
 *
 * A program inside can put a symbolic link in the place of a folder at any moment. So a folder is opened first, and then its real
 * path is compared with the path that the sandbox allows. All acts begin at the open folder, whatever has its name by then. Linux
 * alone has paths for that, `/proc/self/fd/N`.
 */
export class SandboxPlaces implements Places {
  readonly #confinement: Pick<Confinement, 'place'>;

  constructor(confinement: Pick<Confinement, 'place'>) {
    this.#confinement = confinement;
  }

  find(path: string, access: 'read' | 'write'): Promise<Place> {
    return this.#try(path, access, async (host) => placeIn(await openFolder(dirname(host)), basename(host)));
  }

  findNew(path: string): Promise<Place> {
    return this.#try(path, 'write', async (host) => placeIn(await makeFolder(dirname(host)), basename(host)));
  }

  async list(path: string): Promise<readonly Dirent[]> {
    await using folder = await this.#try(path, 'read', openFolder);
    return await readdir(folder.path, { withFileTypes: true });
  }

  async describe(path: string): Promise<readonly DescribedEntry[]> {
    await using folder = await this.#try(path, 'read', openFolder);
    return await describeFolder(folder.path, async (name) => {
      const about = await lstat(join(folder.path, name));
      if (!about.isSymbolicLink()) return about;
      // a link is followed to where programs inside reach alone
      await using place = await this.find(join(path, name), 'read');
      return await lstat(place.path);
    });
  }

  async isTaken(path: string): Promise<boolean> {
    try {
      await using place = await this.find(path, 'read');
      await lstat(place.path);
      return true;
    } catch {
      return false;
    }
  }

  async #try(
    path: string,
    access: 'read' | 'write',
    attempt: (host: string) => Promise<Place | undefined>,
  ): Promise<Place> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const place = await attempt(this.#confinement.place(path, access));
      if (place) return place;
    }
    throw new ChangedMeanwhile(path);
  }
}

/** Opens a folder; `undefined` if a symbolic link has come into its path. */
async function openFolder(host: string): Promise<Place | undefined> {
  const handle = await open(host, O_PATH | constants.O_DIRECTORY);
  const path = `/proc/self/fd/${handle.fd}`;
  try {
    if ((await readlink(path)) === host) return { path, realPath: host, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Opens a folder, and makes it and those above it where they are not there. */
async function makeFolder(host: string): Promise<Place | undefined> {
  try {
    return await openFolder(host);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || host === dirname(host)) throw error;
  }
  await using parent = await makeFolder(dirname(host));
  if (!parent) return undefined;
  await mkdir(join(parent.path, basename(host))).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return await openFolder(host);
}

function placeIn(folder: Place | undefined, name: string): Place | undefined {
  return folder && { ...folder, path: join(folder.path, name), realPath: join(folder.realPath, name) };
}
