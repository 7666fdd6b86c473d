import { link, open, readFile, rm, stat } from 'node:fs/promises';

import { systemPlatform, timers, type Platform } from '@conv/core/platform';
import { lifeOfMark, processMark } from '@conv/store-kit/system';

import { isMissing } from './missing-file.ts';

/** Milliseconds between two looks at a lock that another process has. */
const LOOK = 20;

/** Milliseconds after which a lock counts as left behind if this process cannot see its holder, as one in another container. A change takes far less. */
const UNSEEN = 10_000;

/** Milliseconds for which a change waits for a lock. */
const PATIENCE = 20_000;

/**
 * Runs the work while no other process runs work for the same path. The folder of the path must be there. A lock of a process that has ended
 * is passed. Rejects, naming the lock, if another process has it too long; else resolves and rejects as the work does.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  platform: Platform = systemPlatform,
): Promise<T> {
  const lock = `${path}.lock`;
  const own = `${processMark()} ${platform.id()}`;
  await take(lock, own, platform);
  try {
    return await work();
  } finally {
    // a process that could not see this one may have taken the lock over
    if ((await holderOf(lock)) === own) await rm(lock, { force: true });
  }
}

async function take(lock: string, own: string, platform: Platform): Promise<void> {
  const until = platform.monotonic() + PATIENCE;
  while (!(await made(lock, own))) {
    const holder = await holderOf(lock);
    if (holder === undefined) continue;
    if (await isLeft(lock, holder, platform)) await removeLeft(lock, holder, platform);
    else if (platform.monotonic() >= until)
      throw new Error(
        `expected to change ${lock.slice(0, -'.lock'.length)}, found that another process has held ${lock} for ${PATIENCE / 1000} s; end that process, or remove ${lock} if none has it`,
      );
    else await timers.sleep(platform, LOOK);
  }
}

/** Makes the lock with its holder in one step, so that no lock is ever without one. Resolves with false if it is there. */
async function made(lock: string, own: string): Promise<boolean> {
  const temporary = `${lock}.${own.split(' ')[1] ?? ''}.tmp`;
  const file = await open(temporary, 'wx', 0o644);
  try {
    await file.writeFile(own);
    await link(temporary, lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}

/** Removes a lock that was left behind. Of several processes that found it only one does, and none removes a newer lock. */
async function removeLeft(lock: string, holder: string, platform: Platform): Promise<void> {
  const remove = async (): Promise<void> => {
    if ((await holderOf(lock)) === holder) await rm(lock, { force: true });
  };
  await withFileLock(lock, remove, platform);
}

async function isLeft(lock: string, holder: string, platform: Platform): Promise<boolean> {
  const life = lifeOfMark(holder.split(' ')[0] ?? '');
  if (life !== 'unknown') return life === 'dead';
  try {
    return platform.now() - (await stat(lock)).mtimeMs > UNSEEN;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Resolves with the text of the lock; `undefined` if it is free. */
async function holderOf(lock: string): Promise<string | undefined> {
  try {
    return await readFile(lock, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
