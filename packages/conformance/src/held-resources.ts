import { readdirSync } from 'node:fs';
import { getActiveResourcesInfo } from 'node:process';

import { timers, type Platform } from '@conv/core/platform';

/** The resources of a process: descriptors, and handles that keep it running. */
export interface HeldResources {
  /** 0 where the system does not say. */
  readonly descriptors: number;
  /** Timers that keep the process running. */
  readonly timers: number;
}

/** Counts what this process holds now. */
export function heldResources(): HeldResources {
  return {
    descriptors: countIn('/proc/self/fd') ?? countIn('/dev/fd') ?? 0,
    timers: getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
  };
}

/** Resolves with the held resources once they are no more than `before`, or after a number of looks. */
export async function heldAtMost(platform: Platform, before: HeldResources, looks: number): Promise<HeldResources> {
  let now = heldResources();
  for (let look = 0; look < looks && exceeds(now, before); look++) {
    // work that continues after an answer ends by itself
    await timers.sleep(platform, 10);
    now = heldResources();
  }
  return now;
}

/** True if more resources are held than before. */
export function exceeds(now: HeldResources, before: HeldResources): boolean {
  return now.descriptors > before.descriptors || now.timers > before.timers;
}

function countIn(folder: string): number | undefined {
  try {
    return readdirSync(folder).length;
  } catch {
    return undefined;
  }
}
