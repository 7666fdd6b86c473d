import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

import { ToolError } from '@conv/core/tool';

import type { Mount, Mounts } from './mounts.ts';
import { isFolder } from './real-path.ts';

/** The number of symbolic links that the kernel follows in one path. */
const MOST_LINKS = 40;

/**
 * Returns the place on this machine of `path`, an absolute path inside. Throws {@link ToolError} `FAILED` where no program has this
 * access. `writable`: the folders to name to the model.
 */
export function placeOf(path: string, access: 'read' | 'write', mounts: Mounts, writable: string): string {
  return unlessNoPlace(
    () => placeIn(mounts, follow(path, mounts), access),
    ({ message }) => {
      throw new ToolError(
        'FAILED',
        `The sandbox does not let tools ${access} ${path}: ${message}. Use a path in ${writable}, or ask the user for access.`,
      );
    },
  );
}

/** Returns the place as {@link placeOf} does; `undefined` where no program has this access. */
export function placeIfAny(path: string, access: 'read' | 'write', mounts: Mounts): string | undefined {
  return unlessNoPlace(
    () => placeIn(mounts, follow(path, mounts), access),
    () => undefined,
  );
}

/** True if a path leads to a folder for programs inside. */
export function isFolderInside(path: string, mounts: Mounts): boolean {
  return unlessNoPlace(
    () => isFolderAt(follow(path, mounts), mounts),
    () => false,
  );
}

/** The access of programs to a path: none, because they do not see it; to another file, in a folder of their own; to read it; or to write it. */
export type AccessInside = 'none' | 'own' | 'read' | 'write';

/** Returns the access of programs to an absolute path, whether or not anything is there. A folder that leads to others is not seen for itself. */
export function accessOf(path: string, mounts: Mounts): AccessInside {
  return unlessNoPlace(
    () => {
      const mount = mounts.around(follow(path, mounts));
      if (mount?.kind === 'read') return 'read';
      if (mount?.kind !== 'write') return 'none';
      return mount.source === mount.path ? 'write' : 'own';
    },
    () => 'none',
  );
}

class NoPlace extends Error {}

/** Returns what `look` finds, or `otherwise` where it throws {@link NoPlace}. */
function unlessNoPlace<Found, Otherwise>(
  look: () => Found,
  otherwise: (error: NoPlace) => Otherwise,
): Found | Otherwise {
  try {
    return look();
  } catch (error) {
    if (error instanceof NoPlace) return otherwise(error);
    throw error;
  }
}

function placeIn(mounts: Mounts, at: string, access: 'read' | 'write'): string {
  const mount = mounts.around(at);
  if (mount === undefined && mounts.leadsFrom(at)) throw new NoPlace('only commands see it');
  const host = mount && hostPath(mount, at);
  if (host === undefined) throw new NoPlace(mount ? 'it is hidden or protected' : 'it is not there');
  if (mount?.kind === 'read' && access === 'write') throw new NoPlace('it is read-only');
  return host;
}

/**
 * Returns the path without symbolic links. It is followed as the kernel follows it inside, because a link leads a program to another
 * place than this process.
 */
function follow(path: string, mounts: Mounts): string {
  if (!isAbsolute(path)) throw new NoPlace('expected an absolute path');
  let at = '/';
  let links = 0;
  const rest = parts(path);
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '..' && !isFolderAt(at, mounts)) throw new NoPlace('it is not there');
    const next = part === '..' ? dirname(at) : join(at, part);
    const link = linkAt(next, mounts);
    if (link === undefined) {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new NoPlace('expected fewer symbolic links on the way');
    rest.unshift(...parts(link));
    if (isAbsolute(link)) at = '/';
  }
  return at;
}

/** Returns where a symbolic link inside leads; `undefined` if there is none. */
function linkAt(path: string, mounts: Mounts): string | undefined {
  const mount = mounts.around(path);
  if (mount?.kind === 'link') return mount.source;
  const host = mount === undefined || mount.path === path ? undefined : hostPath(mount, path);
  if (host === undefined) return undefined;
  try {
    return lstatSync(host).isSymbolicLink() ? readlinkSync(host) : undefined;
  } catch {
    // nothing is there yet, or nothing that this user sees
    return undefined;
  }
}

/** True for a folder of this machine that is seen inside, and for a folder that only leads to others. */
function isFolderAt(path: string, mounts: Mounts): boolean {
  const mount = mounts.around(path);
  const host = mount && hostPath(mount, path);
  return mounts.leadsFrom(path) || (host !== undefined && isFolder(host));
}

function hostPath(mount: Mount, path: string): string | undefined {
  return mount.kind === 'read' || mount.kind === 'write' ? join(mount.source, relative(mount.path, path)) : undefined;
}

function parts(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
