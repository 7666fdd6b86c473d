import { access, constants, type FileHandle, lstat, open, rm } from 'node:fs/promises';

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
  { path, look }: Place,
  maxSize: number,
  signal: AbortSignal,
): Promise<ReadFile | undefined> {
  const about = await look();
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
  const bytes = now.size === 0n ? await readUntold(given, file, maxSize, signal) : await file.readFile({ signal });
  return { bytes, version: versionOf(now) };
}

/** Bytes that are read at once. */
const PART = 64 << 10;
/** The most bytes of a file without a size that are read, whatever the caller allows. */
const MOST_UNTOLD = 16 << 20;

/** Reads a file of which the system tells no size. Files of /proc tell 0, and some of them have no end that could be reached. */
async function readUntold(given: string, file: FileHandle, maxSize: number, signal: AbortSignal): Promise<Buffer> {
  const most = Math.min(maxSize, MOST_UNTOLD);
  const parts: Buffer[] = [];
  for (let size = 0; size <= most;) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PART), 0, PART, null);
    if (bytesRead === 0) return Buffer.concat(parts);
    size += bytesRead;
    parts.push(buffer.subarray(0, bytesRead));
  }
  throw new Refusal(`${given} has more than the ${most} bytes that this tool takes. Use the terminal for parts of it.`);
}

/** Rejects with the system's error if the file may not be written, because replacing it would bypass its permissions. */
async function checkWritable(path: string): Promise<void> {
  await access(path, constants.W_OK);
}
