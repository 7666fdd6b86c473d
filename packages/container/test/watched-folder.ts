import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { onTestFinished } from 'vitest';

/** Makes a folder for the test, in memory where the machine has such a disk. */
export function watchedFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conv-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A platform that writes 16 MiB into the folder before each look of a watch: what others free on the same disk meanwhile hides a single file. */
export function fillingPlatform(folder: string): Platform {
  let files = 0;
  return {
    ...systemPlatform,
    setTimer: (milliseconds, work, options) =>
      systemPlatform.setTimer(
        milliseconds,
        () => {
          writeFileSync(join(folder, `file-${files++}`), Buffer.alloc(2 ** 24, 1));
          work();
        },
        options,
      ),
  };
}
