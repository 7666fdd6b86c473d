import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';

import { checks, ConversationError } from '@conv/core';

import type { ContainerWorkspaceOptions } from './container-options.ts';

/**
 * Resolves with the user of the container: the owner of the given folder. Rejects `NOT_FOUND` if the folder is not there, and
 * `INVALID_INPUT` if it is a file, belongs to root, or is named through a link, which a program could replace between two starts.
 */
export async function containerUser({
  folder,
  user,
}: Pick<ContainerWorkspaceOptions, 'folder' | 'user'>): Promise<string | undefined> {
  if (folder === undefined) return user;
  const [found, real] = await Promise.all([stat(folder), realpath(folder)]).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw new ConversationError('NOT_FOUND', `expected a folder at ${folder}, found none; make it before the start`);
  });
  if (!found.isDirectory())
    throw checks.invalid(`ContainerWorkspace: folder: expected a folder, found a file: ${folder}`);
  if (process.platform === 'linux' && real !== resolve(folder))
    throw checks.invalid(
      `ContainerWorkspace: folder: expected a folder by its real path, found one to which a link leads: ${folder}; if that is no program's link, give ${real}`,
    );
  if (user !== undefined) return user;
  if (found.uid === 0)
    throw checks.invalid(
      `ContainerWorkspace: folder: expected a folder of a user, found one of root: ${folder}; no container runs as root, so give it to a user by chown, or give user`,
    );
  return `${found.uid}:${found.gid}`;
}
