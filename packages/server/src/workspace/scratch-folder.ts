import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

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
 * processes may live. So do those of other users, who could put a link in the place of a folder while it is removed.
 */
export async function sweepScratch(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names)
    if (lifeOfMark(NAME.exec(name)?.[1] ?? '') === 'dead' && (await isOwn(join(tmpdir(), name))))
      await rm(join(tmpdir(), name), { recursive: true }).catch(() => undefined);
}

async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && [undefined, found.uid].includes(process.getuid?.());
}
