import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder that a file lies in, and those above it, each one's name durable. */
export function makeFolderOf(file: string): void {
  const folder = dirname(file);
  if (existsSync(folder)) return;
  makeFolderOf(folder);
  makeOne(folder);
  const parent = openSync(dirname(folder), 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}

/** Not `recursive`: Node.js tries without end where a folder takes none, as `/proc` does. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // somebody else was faster
    if (!existsSync(folder)) throw error;
  }
}
