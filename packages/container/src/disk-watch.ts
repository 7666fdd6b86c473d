import { statfs } from 'node:fs/promises';

import { ConversationError, errorText } from '@conv/core';
import { timers, type Platform, type Timer } from '@conv/core/platform';

/** Milliseconds between two looks. */
const LOOK = 200;

const MEBI = 2 ** 20;

/** The disks on which a container writes. */
export interface WatchedDisks {
  /** Folders of this machine, one on each disk. */
  readonly folders: readonly string[];
  /** The bytes by which the free space of a disk may shrink. */
  readonly most: number;
  /** Called with the reason in part of a sentence when a disk has less, and at the next look again if it rejects. */
  readonly beyond: (reason: string) => Promise<void>;
}

/**
 * Looks at disks until the timer is cancelled, or `beyond` has resolved, because one of them has lost more of its free space than it may. Rejects `UNSUPPORTED` for a folder whose disk this process cannot
 * look at. Later, such a disk counts as unchanged.
 */
export async function watchDisks(platform: Platform, { folders, most, beyond }: WatchedDisks): Promise<Timer> {
  const disks = await Promise.all(folders.map(async (folder) => ({ folder, before: await freeAtFirst(folder) })));
  let isLooking = false;
  let isOver = false;
  const every = timers.every(platform, LOOK, () => void look(), { background: true });
  function cancel(): void {
    isOver = true;
    every.cancel();
  }
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    for (const { folder, before } of disks) {
      const used = before - (await freeOf(folder).catch(() => before));
      if (isOver || used <= most) continue;
      const reason = `the container was ended: expected the disk of ${folder} to lose at most ${inMebi(most)} of its free space, found ${inMebi(used)}; remove files that are not needed, and write less`;
      // an end that failed is tried again
      await beyond(reason).then(cancel, () => undefined);
    }
    isLooking = false;
  }
  return { cancel, [Symbol.dispose]: cancel };
}

/** Rejects `UNSUPPORTED` for a folder whose disk this process cannot look at. */
export async function checkDisks(folders: readonly string[]): Promise<void> {
  await Promise.all(folders.map(freeAtFirst));
}

async function freeAtFirst(folder: string): Promise<number> {
  try {
    return await freeOf(folder);
  } catch (cause) {
    throw new ConversationError(
      'UNSUPPORTED',
      `ContainerWorkspace: limits: disk: expected a disk that this program can look at, found none at ${folder} (${errorText(cause)}); leave the limit out, or run as a user who reaches this folder`,
      { cause },
    );
  }
}

async function freeOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function inMebi(bytes: number): string {
  return `${Math.round(bytes / MEBI)} MiB`;
}
