import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { checkValue, lifeOf, ownIdentity, type ProcessIdentity } from '@conv/store-kit/system';

const NAME = /^conv-git-([0-9a-f]{8})-(\d+)-(\d*)-\w+$/;

/** Calls `work` with a new temporary folder, and removes it afterwards. Its name identifies the process that it belongs to. */
export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { pid, startedAt, ...place } = ownIdentity();
  const folder = await mkdtemp(join(tmpdir(), `conv-git-${placeMark(place)}-${pid}-${startedAt ?? ''}-`));
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
  const own = ownIdentity();
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names) {
    const [, mark, pid, startedAt] = NAME.exec(name) ?? [];
    if (mark !== placeMark(own)) continue;
    const owner = { ...own, pid: Number(pid), startedAt: startedAt === '' ? null : (startedAt ?? null) };
    // another user's folder cannot be removed, and is swept by that user's server
    if (lifeOf(owner, own) === 'dead') await rm(join(tmpdir(), name), { recursive: true }).catch(() => undefined);
  }
}

/** Returns a short text for the boot and the container, because a pid is unique only within both. */
function placeMark({ boot, namespace }: Pick<ProcessIdentity, 'boot' | 'namespace'>): string {
  return checkValue(`${boot} ${namespace}`);
}
