import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { ToolError } from '@conv/core/tool';
import { MountTable } from '@conv/store-kit/system';

import type { Mount, Mounts } from './mounts.ts';
import { isTransient, notChecked } from './transient.ts';

/** A file or folder. */
interface Found {
  /** `DEVICE:INODE`. */
  readonly is: string;
  /** The words with which the kernel lists a mount of it; `undefined` for a file system that does not tell. */
  readonly listed: string | undefined;
}

/**
 * A path inside, and the file or folder that must be there. `moves`: a program may give a folder around it another name while it is mounted, so that
 * its mount is elsewhere.
 */
export interface FileIdentity extends Found {
  readonly path: string;
  readonly moves: boolean;
}

/** Opens the name alone, whatever is there. Node has no name for Linux' `O_PATH`. */
const NAMED = 0o10_000_000 | constants.O_NOFOLLOW;

/**
 * Returns what must be mounted at each path that a running program could replace by a link before the next program starts: one in a
 * folder that programs write, and each of `given`, real paths that lie in folders of programs of other conversations. Makes what is missing
 * where an empty file or folder will be seen, because bubblewrap would follow a link there. Throws {@link ToolError} `FAILED` if something
 * on the way is replaced meanwhile, or cannot be looked at.
 */
export function replaceableFiles(mounts: Mounts, given: readonly string[] = []): readonly FileIdentity[] {
  const known = new Map<string, Found>();
  const table = tableNow();
  for (const path of given) if (mounts.isMounted(path)) known.set(path, foundAtReal(path, table));
  for (const mount of mounts.inOrder()) {
    if (mount.kind === 'link' || !mounts.shares(dirname(mount.path))) continue;
    if (!('source' in mount)) makeMissing(mount, mounts, known);
    else if (mount.source !== mount.path) known.set(mount.path, found(mount.source, mount.source, table));
    else atName(mount.path, mounts, known, (name) => known.set(mount.path, found(name, mount.path, table)));
  }
  return [...known].map(([path, is]) => ({ path, ...is, moves: mounts.shares(dirname(path)) }));
}

function makeMissing({ kind, path }: Mount, mounts: Mounts, known: ReadonlyMap<string, Found>): void {
  atName(path, mounts, known, (name) => {
    try {
      if (kind === 'empty') mkdirSync(name);
      else closeSync(openSync(name, 'wx'));
    } catch (error) {
      // Ignore other failures: it is there, or bubblewrap will say why it cannot be made.
      if (isTransient(error)) throw error;
    }
  });
}

/**
 * Calls `use` with a name for a path that leads through open folders, so that no program can replace a folder on the way. The way begins at the
 * innermost folder that no program inside can replace.
 */
function atName(
  path: string,
  mounts: Mounts,
  known: ReadonlyMap<string, Found>,
  use: (name: string) => void,
  folder: string = dirname(path),
): void {
  const open = (name: string): void => {
    const descriptor = openSync(name, NAMED | constants.O_DIRECTORY);
    try {
      const is = known.get(folder)?.is;
      if (is !== undefined && identity(fstatSync(descriptor, { bigint: true })) !== is) throw replaced(folder);
      use(`/proc/self/fd/${descriptor}/${basename(path)}`);
    } finally {
      closeSync(descriptor);
    }
  };
  try {
    if (mounts.shares(dirname(folder))) atName(folder, mounts, known, open);
    else open(folder);
  } catch (cause) {
    throw refusalOf(folder, cause);
  }
}

/** Returns what is at a real path, on which no link has come meanwhile. */
function foundAtReal(path: string, table: MountTable): Found {
  return found(path, path, table, (file) => readlinkSync(`/proc/self/fd/${file}`) === path);
}

/** Returns what `name` leads to, which must be no link. `path`: that file or folder without links on the way. */
function found(name: string, path: string, table: MountTable, isIt?: (file: number) => boolean): Found {
  let file: number | undefined;
  try {
    file = openSync(name, NAMED);
    const about = fstatSync(file, { bigint: true });
    if (about.isSymbolicLink() || isIt?.(file) === false) throw replaced(path);
    return { is: identity(about), listed: table.listed(file, path) };
  } catch (cause) {
    throw refusalOf(path, cause);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function tableNow(): MountTable {
  try {
    return new MountTable();
  } catch (cause) {
    throw refusalOf('/proc/self/mountinfo', cause);
  }
}

function refusalOf(path: string, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  return isTransient(cause) ? notChecked(path, cause) : replaced(path, cause);
}

function identity({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}

function replaced(path: string, cause?: unknown): ToolError {
  return new ToolError('FAILED', replacedText(path), { cause });
}

/** Returns the words for paths of which a running program has replaced one. */
export function replacedText(paths: string): string {
  return `The sandbox started nothing: expected the files and folders that were checked, found another or none at ${paths}. A program replaces them meanwhile: try again, or end it.`;
}
