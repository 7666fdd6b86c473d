import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { lifeOfMark, processMark } from '@conv/store-kit/system';

const NAME = /^conv-git-(.+)-\w+$/;

/** Calls `work` with a new temporary folder, and removes it afterwards. Its name identifies the process that it belongs to. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `conv-git-${processMark()}-`));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes the folders of processes that were killed before they could. Folders of other boots and containers stay, because their
 * processes may live.
 */
export async function sweepScratch(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    // another user's folder cannot be removed, and is swept by that user's server
    if (lifeOfMark(NAME.exec(name)?.[1] ?? '') === 'dead')
      await rm(join(tmpdir(), name), { recursive: true }).catch(() => undefined);
  }
}
