import { timers, type Platform, type Timer } from '@conv/core/platform';

import { freeBytes } from './disk-place.ts';

/** Milliseconds from the end of a look to the next one. */
const LOOK = 200;

const MEBI = 2 ** 20;

/** The disks on which a container writes. */
export interface WatchedDisks {
  /** Folders of this machine, one on each disk, at which this process can look. */
  readonly folders: readonly string[];
  /** The bytes by which the free space of a disk may shrink. */
  readonly most: number;
  /** Called with the reason in part of a sentence when a disk has less, and at the next look again if it rejects. */
  readonly beyond: (reason: string) => Promise<void>;
}

/**
 * Looks at disks until the timer is cancelled, or `beyond` has resolved, because one of them has lost more of its free space than it may. A disk at which this
 * process cannot look later counts as unchanged.
 */
export async function watchDisks(platform: Platform, { folders, most, beyond }: WatchedDisks): Promise<Timer> {
  const disks = await Promise.all(folders.map(async (folder) => ({ folder, before: await freeBytes(folder) })));
  const over = new AbortController();
  const cancel = (): void => over.abort();
  async function look(): Promise<void> {
    for (const { folder, before } of disks) {
      const used = before - (await freeBytes(folder).catch(() => before));
      if (over.signal.aborted || used <= most) continue;
      const reason = `the container was ended: expected the disk of ${folder} to lose at most ${inMebi(most)} of its free space, found ${inMebi(used)}; remove files that are not needed, and write less`;
      // an end that failed is tried again
      await beyond(reason).then(cancel, () => undefined);
    }
  }
  // a look waits for the one before, so the watch has no other state than its signal
  async function lookUntilOver(): Promise<void> {
    for (;;) {
      await timers.sleep(platform, LOOK, { background: true, signal: over.signal });
      await look();
    }
  }
  // rejects with the abort alone
  lookUntilOver().catch(() => undefined);
  return { cancel, [Symbol.dispose]: cancel };
}

/** Returns bytes in words. */
export function inMebi(bytes: number): string {
  return `${Math.round(bytes / MEBI)} MiB`;
}
