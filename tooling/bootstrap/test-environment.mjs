import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';
import { root } from './process.mjs';

/** The file system in memory that Linux has for every user. */
const memory = '/dev/shm';

/** Space that tests which run side by side may fill. */
const room = 2 * 1024 ** 3;

/**
 * The environment of tests and checks. Their hundreds of processes and threads share what Node compiled once, and their
 * temporary folders are in memory, because waiting for a disk takes longer than most tests. Runs on another Node
 * (`CONV_NODE`) and the crash programs stay on the disk. A value of the caller's own wins.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(environment) {
  const inMemory = environment['CONV_NODE'] === undefined && hasRoom();
  return {
    NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
    ...(inMemory && { TMPDIR: memory }),
    ...environment,
  };
}

/** True if the folder in memory has room and may hold programs, which containers often forbid. */
function hasRoom() {
  if (process.platform !== 'linux') return false;
  try {
    const { bavail, bsize } = statfsSync(memory);
    const options = /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1]?.split(',');
    if (options === undefined || options.includes('noexec') || options.includes('ro')) return false;
    return Math.min(bavail * bsize, freemem()) > room;
  } catch {
    return false;
  }
}
