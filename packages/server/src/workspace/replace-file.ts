import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';

import type { Platform } from '@conv/core/platform';

import { makeFolders } from './folders.ts';
import { inFolder } from './open-allowed.ts';

/**
 * Replaces a file by the output of `write`, whole or not at all; of concurrent calls the last wins. Makes missing folders.
 * Rejects as `write`, and as the file system; no temporary file is left then.
 *
 * @param path the real path; a link that is put in the place of its folder meanwhile is not followed
 */
export async function replaceFile(
  path: string,
  write: (file: Writable) => Promise<void>,
  platform: Pick<Platform, 'id'>,
): Promise<void> {
  const folder = dirname(path);
  await makeFolders(folder);
  await inFolder(folder, async (place) => {
    // a name of its own, because the file's name may already have the maximum length
    const temporary = join(place, `.${platform.id()}.part`);
    try {
      await write(createWriteStream(temporary, { flags: 'wx' }));
      await rename(temporary, join(place, basename(path)));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}
