import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { ConversationError } from '@conv/core';
import { MountTable } from '@conv/store-kit/system';

import type { ContainerWorkspaceOptions } from './container-options.ts';
import { DATA, workingDirectory } from './container-request.ts';
import type { ContainerFound } from './engine/engine-client.ts';

/** Opens the name alone, whatever is there. Node has no name for Linux' `O_PATH`. */
const NAMED = 0o10_000_000 | constants.O_NOFOLLOW;

/** Errors for the number of a process that is not here, has ended, or whose list is not shown. */
const NO_SUCH_LIST: ReadonlySet<string> = new Set(['ENOENT', 'ESRCH', 'EINVAL', 'EACCES', 'EPERM']);

/** A folder or file of this machine at a path of a container. */
interface Bound {
  readonly source: string;
  readonly target: string;
}

/**
 * Throws `SERVER_FAILED` unless the folders and files of this machine with which a container was made are mounted where they belong, and the error of the system
 * where a list of mounts cannot be read now.
 *
 * Linux lists what is mounted where, also to other users. Where the engine runs in a machine of its own, and on file systems that do not list it, the paths alone are
 * looked at; on other systems nothing is.
 *
 * @param options the options of its creation. An engine in a machine of its own, as that of Docker Desktop, tells its own paths and not the given paths
 */
export function checkMounts(
  name: string,
  { State, Mounts }: Pick<ContainerFound, 'State' | 'Mounts'>,
  options: Pick<ContainerWorkspaceOptions, 'folder' | 'target'>,
): void {
  if (process.platform !== 'linux') return;
  const inside = tableOf(State.Pid ?? 0);
  const bounds = boundIn(Mounts ?? [], options);
  const own = new MountTable();
  for (const bound of bounds) {
    const found = foundAt(bound, own);
    if (!found || (inside && !isAt(inside, bound.target, found.listed))) throw refusalOf(name, bound);
  }
}

function boundIn(
  mounts: NonNullable<ContainerFound['Mounts']>,
  options: Pick<ContainerWorkspaceOptions, 'folder' | 'target'>,
): readonly Bound[] {
  return mounts.flatMap(({ Type, Source, Destination: target }) => {
    const source = Type === 'bind' ? (givenFor(target, options) ?? Source) : undefined;
    return source === undefined ? [] : [{ source, target }];
  });
}

/** Returns the path with which a mount in the working folder was asked for; `undefined` for another mount. */
function givenFor(path: string, options: Pick<ContainerWorkspaceOptions, 'folder' | 'target'>): string | undefined {
  const within = relative(workingDirectory(options), path);
  if (options.folder === undefined || within === '..' || within.startsWith('../')) return undefined;
  return join(resolve(options.folder), within);
}

/** Returns the mounts of the first process of a container; `undefined` where its number is not that of this machine. */
function tableOf(pid: number): MountTable | undefined {
  try {
    const table = new MountTable(readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
    // a program in a container of its own sees other processes under the numbers of the engine
    return table.at(DATA).length > 0 ? table : undefined;
  } catch (error) {
    // a list that cannot be read at the moment, as with too many open files, must not pass for a missing list
    if (NO_SUCH_LIST.has(error instanceof Error && 'code' in error ? String(error.code) : '')) return undefined;
    throw error;
  }
}

/**
 * Looks at what is at a path now; `undefined` for nothing, for a link, and for a path that leads through one. `listed`: the words with which the kernel lists a mount
 * of it, unless its file system does not tell.
 */
function foundAt({ source }: Bound, table: MountTable): { readonly listed: string | undefined } | undefined {
  let file: number;
  try {
    file = openSync(source, NAMED);
  } catch {
    return undefined;
  }
  try {
    const isThere = !fstatSync(file).isSymbolicLink() && readlinkSync(`/proc/self/fd/${file}`) === source;
    return isThere ? { listed: table.listed(file, source) } : undefined;
  } finally {
    closeSync(file);
  }
}

/** True if a path has one mount, which leads to this file. */
function isAt(table: MountTable, path: string, listed: string | undefined): boolean {
  const at = table.at(path);
  return at.length === 1 && (listed === undefined || at[0] === listed);
}

function refusalOf(name: string, { source, target }: Bound): ConversationError {
  return new ConversationError(
    'SERVER_FAILED',
    `the container ${name} was ended: expected ${source} of this machine at ${target}, found another folder or file, or a link, which a program may have put on its path; put it back`,
  );
}
