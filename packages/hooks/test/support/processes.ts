import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';

const WAIT = { timeout: 100_000, interval: 5 };

/** The text of a file, once a hook has written a whole line to it. */
export async function lineOf(path: string): Promise<string> {
  return vi.waitFor(() => {
    expect(existsSync(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    return text.trim();
  }, WAIT);
}

/** Resolves when the process has died; a signal that kills takes effect when the system comes to it. */
export async function dies(pid: string | number): Promise<void> {
  await vi.waitFor(async () => expect(await isAlive(pid)).toBe(false), WAIT);
}

/** True if a process works; a zombie does not. */
export async function isAlive(pid: string | number): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
    return !stdout.trim().startsWith('Z');
  } catch {
    return false;
  }
}
