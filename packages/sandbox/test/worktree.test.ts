import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { isHere, newFolder, openIn, runIn, type Fixture } from './open-sandbox.ts';

const NAMED = '-c user.name=Ada -c user.email=ada@example.com';

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...NAMED.split(' '), ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

interface World {
  readonly repository: string;
  readonly worktree: string;
}

function newWorktree(): World {
  const folder = newFolder();
  const [repository, worktree] = [join(folder, 'repository'), join(folder, 'worktree')];
  mkdirSync(repository);
  git(repository, 'init', '--quiet', '--initial-branch', 'main');
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'topic', worktree);
  return { repository, worktree };
}

async function runInside(worktree: string): Promise<Fixture['run']> {
  return runIn(await openIn(worktree), worktree);
}

describe.skipIf(!isHere)('a program in a git worktree', () => {
  test('commits to its branch of the repository, whose files it does not see', async () => {
    const { repository, worktree } = newWorktree();
    writeFileSync(join(repository, 'draft'), 'secret');
    const run = await runInside(worktree);
    expect(run(`echo one >file; git add file && git ${NAMED} commit --quiet --message inside`)).toEqual({
      output: '',
      status: 0,
    });
    expect(git(repository, 'log', '--format=%s', 'topic')).toBe('inside\nfirst');
    expect(run(`cat ${repository}/draft`).status).not.toBe(0);
  });

  test.each(['config', 'hooks/post-commit', 'HEAD', 'worktrees/worktree/commondir', 'worktrees/other/HEAD'])(
    'cannot write %s of the repository, on which its owner or another worktree relies',
    async (name) => {
      const { repository, worktree } = newWorktree();
      git(repository, 'worktree', 'add', '--quiet', '-b', 'other', join(worktree, '../other'));
      const run = await runInside(worktree);
      expect(run(`echo out >${repository}/.git/${name}`).output).toContain('Read-only file system');
      expect(run(`mv ${repository}/.git/${name} ${repository}/.git/moved`).status).not.toBe(0);
    },
  );

  test('does not see a folder that only its own file .git names', async () => {
    const { repository } = newWorktree();
    const workspace = newFolder();
    const own = join(repository, '.git/worktrees/worktree');
    writeFileSync(join(workspace, '.git'), `gitdir: ${own}\n`);
    const run = await runInside(workspace);
    expect(run(`cat ${own}/HEAD`).status).not.toBe(0);
    expect(readFileSync(join(own, 'HEAD'), 'utf8')).toContain('topic');
  });

  test('does not see the repository when the worktree was removed from it', async () => {
    const { repository, worktree } = newWorktree();
    rmSync(join(repository, '.git/worktrees'), { recursive: true });
    expect((await runInside(worktree))(`ls ${repository}/.git`).status).not.toBe(0);
  });
});
