import { access, constants, lstat, open, rm } from 'node:fs/promises';

import type { Platform } from '@conv/core/platform';

import {
  ChangedMeanwhile,
  type DescribedEntry,
  hashOf,
  type Files,
  type FolderEntry,
  type OpenedFile,
} from './files.ts';
import type { Place, Places } from './places.ts';
import { Refusal } from './refusal.ts';
import { createFile, hasCode, replaceFile, versionOf, type FileVersion } from './write-file.ts';

/** The files of this machine, at the places that the editor may reach. */
export class PlacedFiles implements Files {
  readonly #places: Places;
  readonly #platform: Pick<Platform, 'id'>;

  constructor(places: Places, platform: Pick<Platform, 'id'>) {
    this.#places = places;
    this.#platform = platform;
  }

  async open(
    path: string,
    { access: wanted, maxSize, signal }: Parameters<Files['open']>[1],
  ): Promise<OpenedFile | undefined> {
    const place = await this.#places.find(path, wanted);
    const found = await readFile(path, place, maxSize, signal).catch(async (error: unknown) => {
      await place[Symbol.asyncDispose]();
      throw error;
    });
    if (!found) {
      await place[Symbol.asyncDispose]();
      return undefined;
    }
    const { bytes, version } = found;
    return {
      realPath: place.realPath,
      bytes,
      hash: hashOf(bytes),
      replace: async (changed, stop) => {
        await checkWritable(place.path);
        stop.throwIfAborted();
        await replaceFile(this.#platform, place.path, changed, version);
      },
      remove: async (stop) => {
        stop.throwIfAborted();
        await rm(place.path);
      },
      [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
    };
  }

  async create(path: string, bytes: Buffer, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    await using place = await this.#places.findNew(path);
    const existing = await lstat(place.path).catch(() => undefined);
    if (existing?.isDirectory()) throw new Refusal(`${path} is a folder.`);
    if (existing)
      throw new Refusal(
        `${path} exists already, and create never overwrites. View it, then use str_replace or insert.`,
      );
    signal.throwIfAborted();
    await createFile(this.#platform, place.path, bytes);
    return place.realPath;
  }

  async list(path: string): Promise<readonly FolderEntry[]> {
    const entries = await this.#places.list(path);
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  }

  describe(path: string): Promise<readonly DescribedEntry[]> {
    return this.#places.describe(path);
  }

  isTaken(path: string): Promise<boolean> {
    return this.#places.isTaken(path);
  }
}

interface ReadFile {
  readonly bytes: Buffer;
  readonly version: FileVersion;
}

/** Reads a regular file; `undefined` for a folder. Throws {@link Refusal} for devices and files above `maxSize` bytes. */
async function readFile(
  given: string,
  { path }: Place,
  maxSize: number,
  signal: AbortSignal,
): Promise<ReadFile | undefined> {
  const about = await lstat(path);
  if (about.isDirectory()) return undefined;
  if (!about.isFile()) throw new Refusal(`${given} is not a regular file.`);
  // another program may have put a link or a pipe there since
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw hasCode(cause, 'ELOOP') ? new ChangedMeanwhile(given, { cause }) : cause;
    },
  );
  const now = await file.stat({ bigint: true });
  if (!now.isFile()) throw new ChangedMeanwhile(given);
  if (now.size > maxSize)
    throw new Refusal(
      `${given} has ${now.size} bytes, more than the ${maxSize} that this tool takes. Use the terminal for parts of it.`,
    );
  const bytes = await file.readFile({ signal });
  return { bytes, version: versionOf(now) };
}

/** Rejects with the system's error if the file may not be written, because replacing it would bypass its permissions. */
async function checkWritable(path: string): Promise<void> {
  await access(path, constants.W_OK);
}
