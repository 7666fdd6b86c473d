import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Resolves with what a file holds when it has this many lines. */
export async function lines(path: string, count = 1): Promise<readonly string[]> {
  const watcher = watch(join(path, '..'));
  const read = (): readonly string[] => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
  try {
    while (read().filter((line) => line !== '').length < count)
      await new Promise((resolve) => watcher.once('change', resolve));
    return read();
  } finally {
    watcher.close();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // a zombie, for which its parent has not waited yet, is dead
    return process.platform !== 'linux' || !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // it may also go between the two looks
    return false;
  }
}

/** Resolves when the process is gone; the test's own time ends a wait in vain. */
export async function dies(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when our process has noticed that its child is gone. */
export async function isReaped(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lists the processes that live and have this word on their command line. On Linux alone; elsewhere the list is empty. */
export function processesWith(word: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandLine(pid).includes(word));
}

/** Returns the command line of a process; empty if it has ended, or is a zombie. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
