import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder that a file lies in, and those above it, each one's name durable. */
export function makeFolderOf(file: string): void {
  const folder = dirname(file);
  if (existsSync(folder)) return;
  makeFolderOf(folder);
  mkdirSync(folder, { recursive: true });
  const parent = openSync(dirname(folder), 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}
