import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';

import { checkOptionNames, checks, type OptionNames } from '@conv/core';

import { type FetchOptions, fetchSource } from './fetch-source.ts';
import type { Source } from './source.ts';

/** Options of {@link Snapshots}. */
export interface SnapshotsOptions extends Omit<FetchOptions, 'mayRead'> {
  /** The folder with all snapshots, such as `~/.openhands/cache/plugins`. It is made when the first one is kept. */
  readonly folder: string;
}

const NAMES: OptionNames<SnapshotsOptions> = { folder: true, hosts: true, lookup: true, limits: true, timeout: true };

/** The characters of a digest that are the name of a folder. */
const LENGTH = 32;
const DIGEST = new RegExp(String.raw`^[\da-f]{${LENGTH}}$`);

/** A copy of a source that does not change any more. */
export interface KeptSnapshot {
  /** The folder, which has the name of the folder that was copied. Equal contents have one folder. */
  readonly directory: string;
  /** The commit that it was made of; null for a folder. */
  readonly commit: string | null;
}

/** Keeps copies of sources, each under the digest of its content, so that what a conversation has been given stays as it was. */
export class Snapshots {
  readonly folder: string;
  readonly #options: SnapshotsOptions;

  /** Throws a `TypeError` for a wrong option. */
  constructor(options: SnapshotsOptions) {
    checkOptionNames('Snapshots', options, NAMES);
    if (typeof options.folder !== 'string')
      throw new TypeError(checks.wrongValue('Snapshots: folder', 'the path of a folder', options.folder));
    this.folder = options.folder;
    this.#options = options;
  }

  /**
   * Copies a source and resolves with its snapshot. `mayRead` resolves with the real path of a folder of this machine, or rejects. Default: any
   * folder. Rejects {@link PluginError} `INVALID_SOURCE`, `FETCH_FAILED`, `TOO_LARGE` and `INVALID`.
   */
  async keep(source: Source, mayRead?: FetchOptions['mayRead']): Promise<KeptSnapshot> {
    await using fetched = await fetchSource(source, this.folder, { ...this.#options, ...(mayRead ? { mayRead } : {}) });
    const place = join(this.folder, fetched.digest.slice(0, LENGTH));
    const directory = join(place, basename(fetched.directory));
    await mkdir(place, { recursive: true, mode: 0o755 });
    try {
      await rename(fetched.directory, directory);
    } catch (error) {
      // the same content was kept before, or is by another process at this moment
      if (!(await isFolder(directory))) throw error;
    }
    return { directory, commit: fetched.commit };
  }

  /** Returns the folder of the snapshot that an absolute path lies in; `undefined` for any other path, such as that of all snapshots. */
  around(path: string): string | undefined {
    const [digest = '', name = '', ...more] = relative(this.folder, path).split(sep);
    return DIGEST.test(digest) && ![name, ...more].includes('..') && name !== ''
      ? join(this.folder, digest, name)
      : undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
