import { stat } from 'node:fs/promises';

import { checks, ConversationError } from '@conv/core';

import type { ContainerWorkspaceOptions } from './container-options.ts';

/**
 * Resolves with the user of the container: the owner of the given folder. Rejects `NOT_FOUND` if the folder is not there, and
 * `INVALID_INPUT` if it is a file or belongs to root.
 */
export async function containerUser({
  folder,
  user,
}: Pick<ContainerWorkspaceOptions, 'folder' | 'user'>): Promise<string | undefined> {
  if (user !== undefined || folder === undefined) return user;
  const found = await stat(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw new ConversationError('NOT_FOUND', `expected a folder at ${folder}, found none; make it before the start`);
  });
  if (!found.isDirectory())
    throw checks.invalid(`ContainerWorkspace: folder: expected a folder, found a file: ${folder}`);
  if (found.uid === 0)
    throw checks.invalid(
      `ContainerWorkspace: folder: expected a folder of a user, found one of root: ${folder}; no container runs as root, so give it to a user by chown, or give user`,
    );
  return `${found.uid}:${found.gid}`;
}
