import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A place for files that is memory, where the system has one: nothing of damage at rest is about the device. */
export function inMemory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}
