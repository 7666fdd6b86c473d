import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Returns a new temporary folder. It is removed after the tests of the file. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-cli-test-')));
  folders.push(folder);
  return folder;
}

/** Removes the folders of the tests that have ended. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
