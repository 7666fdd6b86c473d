import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the system with programs that run outside, or that check what runs inside. Programs inside can put others only into those of PATH. */
const SYSTEM = ['/usr/bin', '/bin', '/run/current-system/sw/bin'];

/** Returns the path of a program of the system; `undefined` if it is not installed there. */
export function systemProgram(name: string): string | undefined {
  return SYSTEM.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
