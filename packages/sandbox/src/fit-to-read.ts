import { homedir } from 'node:os';

import { isWithin } from './mounts.ts';
import { realPath } from './real-path.ts';
import type { Rules } from './rules.ts';

/**
 * Returns why one of the paths to read cannot be shown, in words for people; `undefined` if all can. The home of the user, a folder around it and
 * what lies in a hidden path would show keys. A path that is not there shows nothing.
 */
export function unfitToRead({ read, hide }: Pick<Rules, 'read' | 'hide'>): string | undefined {
  const home = realPath(homedir());
  const hidden = hide.flatMap((path) => realPath(path) ?? []);
  for (const path of read) {
    const real = realPath(path);
    if (real === undefined) continue;
    if (home !== undefined && isWithin(real, home))
      return `The sandbox cannot show ${path} to be read, because the user's home with its keys lies there: expected folders and files in it, or elsewhere. Name those.`;
    const around = hidden.find((folder) => isWithin(folder, real));
    if (around !== undefined)
      return `The sandbox cannot show ${path} to be read, because it lies in ${around}, which is hidden: expected a path elsewhere. Leave it out.`;
  }
  return undefined;
}
