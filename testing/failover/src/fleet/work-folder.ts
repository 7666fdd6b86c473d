import { chown, mkdir, writeFile } from 'node:fs/promises';

/** A user without rights. */
const USER = 1234;

/**
 * Makes the folder in which conversations act, with an empty file for the records of commands. Both belong to a user without rights if
 * this one is root, as whom no container runs.
 */
export async function makeWorkFolder(folder: string, records: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(records, '');
  if (process.getuid?.() !== 0) return;
  for (const path of [folder, records]) await chown(path, USER, USER);
}
