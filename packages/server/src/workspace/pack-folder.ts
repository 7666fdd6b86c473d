import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

import type { Header, HeaderData, Pax } from 'tar';

const BLOCK = 512;
/** An entry was removed, or replaced by one of another kind, since it was listed. */
const GONE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'];
const ZEROS = Buffer.alloc(64 * 1024);

/** The choice of what is packed. */
export interface Packing {
  /** False for a path, relative to the folder, that is left out with all that it holds. */
  readonly takes: (path: string) => boolean;
  /** Resolves `true` for an opened file that is left out. */
  readonly isRefused: (file: Stats) => Promise<boolean>;
}

interface Context extends Packing {
  readonly tar: { readonly Header: typeof Header; readonly Pax: typeof Pax };
  /** Real path of the folder. */
  readonly folder: string;
}

type Blocks = AsyncGenerator<Buffer, void, undefined>;

/**
 * Returns the files of a folder as a compressed tar stream, with symbolic links as links, and each name of a hard link as a file.
 * `folder`: its real path. Programs may change the folder meanwhile: what is gone is left out, a file that became shorter is filled up with
 * zeros, and nothing is read through a link that took the place of a file or folder.
 */
export function packFolder(folder: string, packing: Packing): Readable {
  const blocks = Readable.from(blocksOf(folder, packing), { objectMode: false });
  const gzip = createGzip();
  blocks.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => blocks.destroy());
  return blocks.pipe(gzip);
}

async function* blocksOf(folder: string, packing: Packing): Blocks {
  const context = { ...packing, folder, tar: await import('tar') };
  yield headOf(context, await lstat(folder), { path: './', type: 'Directory' });
  yield* entriesIn(context, '');
  // the end of an archive
  yield ZEROS.subarray(0, 2 * BLOCK);
}

/** Yields the entries in a folder. `way`: its path, relative to the folder that is packed, with a slash at its end. */
async function* entriesIn(context: Context, way: string): Blocks {
  for (const name of await namesIn(resolve(context.folder, way))) {
    const path = `${way}${name}`;
    if (!context.takes(path)) continue;
    const about = await unlessGone(lstat(join(context.folder, path)));
    if (about?.isDirectory()) {
      yield headOf(context, about, { path: `./${path}/`, type: 'Directory' });
      yield* entriesIn(context, `${path}/`);
    } else if (about?.isSymbolicLink()) {
      const linkpath = await unlessGone(readlink(join(context.folder, path)));
      if (linkpath !== undefined) yield headOf(context, about, { path: `./${path}`, type: 'SymbolicLink', linkpath });
    } else if (about?.isFile()) yield* blocksOfFile(context, path);
  }
}

/** Resolves with the names in a folder; with none if a link took its place, or the place of a folder around it. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await unlessGone(readdir(folder));
  return (await unlessGone(realpath(folder))) === folder ? (names ?? []) : [];
}

async function* blocksOfFile(context: Context, path: string): Blocks {
  const full = join(context.folder, path);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await unlessGone(open(full, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (handle === undefined) return;
  try {
    const about = await handle.stat();
    // on Linux: where the opened file is, even if a folder on the way to it has become a link
    const place = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => unlessGone(realpath(full)));
    if (!about.isFile() || place !== full || (await context.isRefused(about))) return;
    const { size } = about;
    yield headOf(context, about, { path: `./${path}`, type: 'File', size });
    const end = Math.ceil(size / BLOCK) * BLOCK;
    let at = 0;
    for await (const bytes of contentOf(handle, size)) {
      at += bytes.length;
      yield bytes;
    }
    for (; at < end; at += ZEROS.length) yield ZEROS.subarray(0, end - at);
  } finally {
    await handle.close();
  }
}

/** Yields the content of a file up to a size, or as much as is there. */
async function* contentOf(handle: FileHandle, size: number): Blocks {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(ZEROS.length, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Returns the header of an entry. It says nothing of this machine, such as owners. */
function headOf({ tar }: Context, { mode, mtime }: Stats, entry: HeaderData): Buffer {
  const isFolder = entry.type === 'Directory';
  const data = { ...entry, mode: portableMode(mode, isFolder), size: entry.size ?? 0, ...(!isFolder && { mtime }) };
  const header = new tar.Header(data);
  const isTooLong = header.encode();
  const block = header.block as Buffer;
  return isTooLong ? Buffer.concat([new tar.Pax(data).encode(), block]) : block;
}

/** Returns rights with which its owner can use an unpacked entry, and no other user can write it. */
function portableMode(mode: number, isFolder: boolean): number {
  const own = ((mode & 0o7777) | 0o600) & ~0o22;
  return isFolder ? own | ((own & 0o444) >> 2) : own;
}

async function unlessGone<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (GONE.includes((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
}
