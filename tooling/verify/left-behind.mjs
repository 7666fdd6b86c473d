import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Folders that others than tests make, and keep. */
const KEPT = ['node-compile-cache'];

/**
 * Returns the names of what stands in the folder of a test run.
 * @param {string} folder
 */
export function leftFiles(folder) {
  return readdirSync(folder).filter((name) => !KEPT.includes(name));
}

/**
 * Returns the processes that work in a folder, or were given it for their temporary files. Linux alone can say it; elsewhere there
 * are none.
 * @param {string} folder
 * @returns {{ pid: number, command: string }[]}
 */
export function leftProcesses(folder) {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    try {
      const works = readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      const given = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`=${folder}`);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // a process that has ended and waits for its parent has no command
      return (works || given) && command !== '' ? [{ pid: Number(pid), command }] : [];
    } catch {
      // it ended, or belongs to another user
      return [];
    }
  });
}
