import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Returns a folder in memory if the system has one, because damage at rest does not depend on the device. */
export function inMemory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}
