import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { x as extract } from 'tar';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { archiveFolder, DEFAULT_EXCLUDES } from '../../src/workspace/archive.ts';
import { gitPatch } from '../../src/workspace/git-patch.ts';
import { environment, runGit } from '../support/run-git.ts';

const folders = new AllowedFolders(['/']);
let folder: string;
let other: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-archive-')));
  other = realpathSync(mkdtempSync(join(tmpdir(), 'conv-archive-')));
  runGit(folder, 'init', '--quiet');
  write('src/kept.txt', 'kept');
  write('src/deleted.txt', 'deleted');
  runGit(folder, 'add', '.');
  runGit(folder, 'commit', '--quiet', '-m', 'begin');
  write('node_modules/package/index.js', 'x');
  write('deep/module.pyc', 'x');
});

afterEach(() => {
  for (const path of [folder, other]) rmSync(path, { recursive: true, force: true });
});

function write(path: string, text: string | Buffer): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

async function unpacked(excludes: readonly string[]): Promise<(path: string) => boolean> {
  await pipeline(archiveFolder(folder, excludes), extract({ cwd: other }));
  return (path) => existsSync(join(other, path));
}

it('an archive packs a folder without what can be made again and without what git keeps', async () => {
  const has = await unpacked(DEFAULT_EXCLUDES);
  expect(['src/kept.txt', 'deep'].map(has)).toEqual([true, true]);
  expect(['node_modules', 'deep/module.pyc', '.git'].map(has)).toEqual([false, false, false]);
  expect(readFileSync(join(other, 'src/kept.txt'), 'utf8')).toBe('kept');
});

it('an archive packs everything when told to, except where git keeps passwords', async () => {
  const has = await unpacked([]);
  expect(['node_modules/package/index.js', '.git/HEAD', '.git/config'].map(has)).toEqual([true, true, false]);
});

it('an archive leaves out a folder that is named from the top only there', async () => {
  write('deep/src/file', 'x');
  const has = await unpacked(['/src/']);
  expect(['src', 'deep/src/file'].map(has)).toEqual([false, true]);
});

it('a patch brings another copy to the same files, and its making leaves the index alone', async () => {
  runGit(other, 'clone', '--quiet', folder, '.');
  write('src/kept.txt', 'changed');
  write('src/binary', Buffer.from([0, 1, 2, 255]));
  rmSync(join(folder, 'src/deleted.txt'));
  const before = runGit(folder, 'status', '--porcelain');
  const patch = await gitPatch(folder, { excludes: DEFAULT_EXCLUDES, environment, folders });
  execFileSync('git', ['apply'], { cwd: other, env: environment, input: patch });
  expect(readFileSync(join(other, 'src/kept.txt'), 'utf8')).toBe('changed');
  expect([...readFileSync(join(other, 'src/binary'))]).toEqual([0, 1, 2, 255]);
  expect(existsSync(join(other, 'src/deleted.txt'))).toBe(false);
  expect(existsSync(join(other, 'node_modules'))).toBe(false);
  expect(runGit(folder, 'status', '--porcelain')).toBe(before);
});

it('a patch refuses a base that is unknown, and a folder without a repository', async () => {
  await expect(gitPatch(folder, { baseRef: '--help', excludes: [], environment, folders })).rejects.toThrow(
    'single revision',
  );
  await expect(gitPatch(other, { excludes: [], environment, folders })).rejects.toThrow('not a git repository');
});
