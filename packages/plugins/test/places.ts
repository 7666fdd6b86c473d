import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { onTestFinished } from 'vitest';

import { isPluginError } from '../src/index.ts';

/** Makes a folder that is removed after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'conv-plugins-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes files below a folder, and returns the folder. */
export function filesIn(place: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const path = join(place, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return place;
}

/** Runs git in a repository of a test. */
export function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Makes a repository with one commit of these files. */
export function repository(files: Readonly<Record<string, string>>, name = 'tools'): string {
  const path = join(folder(), name);
  mkdirSync(path);
  git(path, 'init', '--quiet');
  return committed(path, files);
}

/** Adds a commit of these files to a repository, and returns the repository. */
export function committed(path: string, files: Readonly<Record<string, string>>): string {
  filesIn(path, files);
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', 'Change');
  return path;
}

/** Returns the code of the error that the promise rejects with. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isPluginError(error) ? error.code : `another error: ${String(error)}`),
  );
}
