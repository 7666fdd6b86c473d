import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { Git } from '../../src/workspace/git.ts';
import { changedRepository, environment, runGit } from '../support/run-git.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'conv-elsewhere-')));
  folder = join(base, 'work');
  mkdirSync(folder);
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('a repository that leads elsewhere', () => {
  const outside = (): string => join(base, 'outside');
  const read = (): Promise<unknown> => new Git({ environment, folders: new AllowedFolders([folder]) }).changes(folder);

  beforeEach(() => {
    mkdirSync(outside());
    changedRepository(outside());
  });

  test.each<[string, () => void]>([
    ['a gitdir: file', () => writeFileSync(join(folder, '.git'), `gitdir: ${outside()}/.git\n`)],
    ['a gitdir: file with a way of its own', () => writeFileSync(join(folder, '.git'), 'gitdir: ../outside/.git\n')],
    ['a link', () => symlinkSync(join(outside(), '.git'), join(folder, '.git'))],
    [
      'a common folder',
      () => {
        changedRepository(folder);
        writeFileSync(join(folder, '.git', 'commondir'), `${outside()}/.git\n`);
      },
    ],
    [
      'borrowed objects',
      () => {
        changedRepository(folder);
        writeFileSync(join(folder, '.git', 'objects', 'info', 'alternates'), `${outside()}/.git/objects\n`);
      },
    ],
    [
      'linked branches',
      () => {
        changedRepository(folder);
        rmSync(join(folder, '.git', 'refs'), { recursive: true });
        symlinkSync(join(outside(), '.git', 'refs'), join(folder, '.git', 'refs'));
      },
    ],
  ])('a repository that leads out of the allowed folders by %s is refused', async (_, make) => {
    make();
    await expect(read()).rejects.toMatchObject({ code: 'OUTSIDE' });
  });

  test('a repository above the allowed folders is no repository', async () => {
    changedRepository(base);
    await expect(read()).resolves.toEqual([]);
  });

  test('a repository is read when it is a work tree of a repository in allowed folders', async () => {
    changedRepository(folder);
    runGit(folder, 'add', '.');
    runGit(folder, 'commit', '--quiet', '-m', 'third');
    runGit(folder, 'worktree', 'add', '--quiet', join(base, 'tree'));
    writeFileSync(join(base, 'tree', 'a.txt'), 'changed there');
    const git = new Git({ environment, folders: new AllowedFolders([base]) });
    await expect(git.changes(join(base, 'tree'))).resolves.toEqual([{ status: 'UPDATED', path: 'a.txt' }]);
    await expect(git.commits(join(base, 'tree'), 1)).resolves.toMatchObject({ commits: [{ subject: 'third' }] });
  });
});
