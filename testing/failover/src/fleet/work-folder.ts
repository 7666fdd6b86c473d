import { chown, mkdir, writeFile } from 'node:fs/promises';

import type { HandRuntime } from './hands.ts';

/** A user without rights. */
const USER = 1234;

/**
 * Makes the folder in which conversations act, with an empty file for the records of commands. For containers both belong to a user without
 * rights if this one is root, as whom no container runs. In a sandbox not even root writes what belongs to another user.
 */
export async function makeWorkFolder(folder: string, records: string, runtime: HandRuntime | null): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(records, '');
  if (runtime !== 'docker' || process.getuid?.() !== 0) return;
  for (const path of [folder, records]) await chown(path, USER, USER);
}
