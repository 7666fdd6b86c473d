import { type Dirent, lstatSync } from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Confinement } from '@conv/core/tool';

import { holdFolder } from '../held-folder.ts';
import { describeFolder } from './describe-folder.ts';
import { ChangedMeanwhile, type DescribedEntry } from './files.ts';
import type { Place, Places } from './places.ts';
import { hasCode } from './write-file.ts';

/** The number of times that a path is looked for while another program moves the folders on it. */
const MOST_TRIES = 20;

/**
 * The files that programs of a sandbox reach, at the same paths.
 *
 * A program inside can put a symbolic link in the place of a folder at any moment. So a folder is opened first, and only if no link was on its
 * way to the path that the sandbox allows. All acts begin at the open folder, whatever has its name by then.
 */
export class SandboxPlaces implements Places {
  readonly #confinement: Pick<Confinement, 'place'>;

  constructor(confinement: Pick<Confinement, 'place'>) {
    this.#confinement = confinement;
  }

  find(path: string, access: 'read' | 'write'): Promise<Place> {
    return this.#try(path, access, (host) => placeIn(openFolder(dirname(host)), basename(host)));
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
    attempt: (host: string) => Promise<Place | undefined> | Place | undefined,
  ): Promise<Place> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const place = await attempt(this.#confinement.place(path, access));
      if (place) return place;
    }
    throw new ChangedMeanwhile(path);
  }
}

/** Opens a folder; `undefined` if a symbolic link has come into its path. */
function openFolder(host: string): Place | undefined {
  const folder = holdFolder(host);
  return folder && at(folder, folder.path, host);
}

/** Returns a place in an open folder, or that folder. It is looked at without a thread, as its path was just before. */
function at({ [Symbol.asyncDispose]: dispose }: AsyncDisposable, path: string, realPath: string): Place {
  return { path, realPath, look: () => lstatSync(path), [Symbol.asyncDispose]: dispose };
}

/** Opens a folder, and makes it and those above it where they are not there. */
async function makeFolder(host: string): Promise<Place | undefined> {
  try {
    return openFolder(host);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || host === dirname(host)) throw error;
  }
  await using parent = await makeFolder(dirname(host));
  if (!parent) return undefined;
  await mkdir(join(parent.path, basename(host))).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return openFolder(host);
}

function placeIn(folder: Place | undefined, name: string): Place | undefined {
  return folder && at(folder, join(folder.path, name), join(folder.realPath, name));
}
