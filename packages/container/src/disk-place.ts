import { readFile, statfs } from 'node:fs/promises';

import { ConversationError, errorText } from '@conv/core';

/**
 * Resolves with a folder at which this process can look to learn of the disk of `folder`: `folder` itself, or the place at which that disk is mounted. A user of an
 * engine that root runs may not enter its folders, and reaches where their disk is mounted. Rejects `UNSUPPORTED` where there is none.
 *
 * @param isHere resolves with true if `folder` is a folder of this machine, and not of a virtual one. Asked only where this process may not enter
 */
export async function diskPlace(folder: string, isHere: () => Promise<boolean>): Promise<string> {
  try {
    await statfs(folder);
    return folder;
  } catch (cause) {
    const isClosed = cause instanceof Error && 'code' in cause && cause.code === 'EACCES';
    const point = isClosed && (await isHere()) ? await mountPointOf(folder) : undefined;
    if (point !== undefined && (await canLookAt(point))) return point;
    throw new ConversationError(
      'UNSUPPORTED',
      `ContainerWorkspace: limits: disk: expected a disk that this program can look at, found none at ${folder} (${errorText(cause)}); leave the limit out, or run as a user who reaches this folder or where its disk is mounted`,
      { cause },
    );
  }
}

/** Resolves with the free bytes of a disk. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function canLookAt(folder: string): Promise<boolean> {
  return statfs(folder).then(
    () => true,
    () => false,
  );
}

/** Resolves with the innermost mount around a path; `undefined` on systems without a list of mounts: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
async function mountPointOf(path: string): Promise<string | undefined> {
  const list = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const points = list
    .split('\n')
    .flatMap((line) => line.split(' ').slice(4, 5))
    .map(unescaped);
  return points
    .filter((point) => path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`))
    .reduce<string | undefined>(
      (longest, point) => (point.length >= (longest?.length ?? 0) ? point : longest),
      undefined,
    );
}

/** Returns a path of the list of mounts, in which blanks are numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
