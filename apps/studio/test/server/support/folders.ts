import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

/** Returns a new folder, which is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-studio-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the digest of each file below a folder, by its path. */
export function digestsIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const entries = paths.map((path) => {
    const full = join(folder, path);
    if (statSync(full).isDirectory()) return [path, 'a folder'];
    return [path, createHash('sha256').update(readFileSync(full)).digest('hex')];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the text of every file below a folder. */
export function textIn(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = paths.map((path) => join(folder, path)).filter((path) => statSync(path).isFile());
  return files.map((path) => readFileSync(path, 'utf8')).join('\n');
}
