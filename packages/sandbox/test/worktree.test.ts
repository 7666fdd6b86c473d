import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  test('a program commits to its branch of the repository, whose files it does not see', async () => {
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
    'a program cannot write %s of the repository, on which its owner or another worktree relies',
    async (name) => {
      const { repository, worktree } = newWorktree();
      git(repository, 'worktree', 'add', '--quiet', '-b', 'other', join(worktree, '../other'));
      const run = await runInside(worktree);
      expect(run(`echo out >${repository}/.git/${name}`).output).toContain('Read-only file system');
      expect(run(`mv ${repository}/.git/${name} ${repository}/.git/moved`).status).not.toBe(0);
    },
  );

  test('a program does not see a folder that only its own file .git names', async () => {
    const { repository } = newWorktree();
    const workspace = newFolder();
    const own = join(repository, '.git/worktrees/worktree');
    writeFileSync(join(workspace, '.git'), `gitdir: ${own}\n`);
    const run = await runInside(workspace);
    expect(run(`cat ${own}/HEAD`).status).not.toBe(0);
    expect(readFileSync(join(own, 'HEAD'), 'utf8')).toContain('topic');
  });

  test('a program does not see the repository when the worktree was removed from it', async () => {
    const { repository, worktree } = newWorktree();
    rmSync(join(repository, '.git/worktrees'), { recursive: true });
    expect((await runInside(worktree))(`ls ${repository}/.git`).status).not.toBe(0);
  });

  test.each(['config', 'hooks'])(
    'a program does not see where the %s of a repository that it has made itself leads',
    async (name) => {
      const workspace = newFolder();
      const secrets = newFolder();
      writeFileSync(join(secrets, 'key'), 'secret');
      const own = join(workspace, 'made/worktrees/one');
      mkdirSync(own, { recursive: true });
      writeFileSync(join(workspace, '.git'), `gitdir: ${own}\n`);
      writeFileSync(join(own, 'gitdir'), join(workspace, '.git'));
      symlinkSync(secrets, join(workspace, 'made', name));
      expect((await runInside(workspace))(`cat ${secrets}/key`).output).not.toContain('secret');
    },
  );

  test('a program sees no repository whose hooks are a link, which it could replace', async () => {
    const { repository, worktree } = newWorktree();
    const hooks = newFolder();
    rmSync(join(repository, '.git/hooks'), { recursive: true });
    symlinkSync(hooks, join(repository, '.git/hooks'));
    expect((await runInside(worktree))(`ls ${repository}/.git || ls ${hooks}`).status).not.toBe(0);
  });

  test('a program adds no hook to a repository that has no folder of hooks', async () => {
    const { repository, worktree } = newWorktree();
    rmSync(join(repository, '.git/hooks'), { recursive: true });
    const run = await runInside(worktree);
    expect(run(`mkdir -p ${repository}/.git/hooks; echo out >${repository}/.git/hooks/post-commit`).status).not.toBe(0);
    expect(existsSync(join(repository, '.git/hooks/post-commit'))).toBe(false);
  });

  test('a program reads the repository, and does not write it, where all of .git is protected', async () => {
    const { repository, worktree } = newWorktree();
    const run = runIn(await openIn(worktree, { protect: ['.git'] }), worktree);
    expect(run('git log --format=%s').output).toBe('first');
    expect(run(`echo ../evil >${repository}/.git/commondir`).output).toContain('Read-only file system');
    expect(existsSync(join(repository, '.git/commondir'))).toBe(false);
  });

  test('a program is not started when the folder .git of the repository becomes a link before', async () => {
    const { repository, worktree } = newWorktree();
    const secrets = newFolder();
    writeFileSync(join(secrets, 'key'), 'secret');
    const confinement = await openIn(worktree);
    const line = `cat ${repository}/.git/key`;
    const decided = confinement.confine({ command: 'sh', args: ['-c', line], cwd: worktree, env: process.env });
    renameSync(join(repository, '.git'), join(repository, 'moved'));
    symlinkSync(secrets, join(repository, '.git'));
    const { stdout, status } = spawnSync(decided.command, decided.args, { cwd: '/', env: { ...decided.env } });
    expect(stdout.toString()).not.toContain('secret');
    expect(status).not.toBe(0);
  });
});
