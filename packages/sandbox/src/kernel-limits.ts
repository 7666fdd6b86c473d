import { readFileSync } from 'node:fs';
import { release } from 'node:os';

/** Linux counts the processes of a user namespace apart since this version; before, those of the user on the whole machine. */
const SINCE = [5, 14] as const;

/** The most processes that Linux can be asked for. */
const MOST = 2 ** 22;

/**
 * Returns the processes and threads that the kernel lets a program have: twice the limit, so that the watcher finds a program beyond the limit, and what is
 * started between two of its looks is bounded too.
 */
export function mostByKernel(processes: number): number {
  return Math.min(Math.floor(2 * processes), MOST - 1);
}

/**
 * Returns the processes and threads to which the kernel itself bounds a program from its begin; `undefined` where the kernel cannot: it bounds no
 * processes of root.
 */
export function boundOfKernel(processes: number): number | undefined {
  if (processes === Infinity || process.getuid?.() === 0 || !countsApart()) return undefined;
  return Math.min(mostByKernel(processes), hardLimit());
}

function countsApart(): boolean {
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}

/** Returns the limit that this process has, which no other can raise; `Infinity` if it has none. */
function hardLimit(): number {
  const [, hard] = /^Max processes +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return hard === undefined ? Infinity : Number(hard);
}
