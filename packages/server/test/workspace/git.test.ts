import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';
import { Git } from '../../src/workspace/git.ts';
import { environment, runGit } from '../support/run-git.ts';

const folders = new AllowedFolders(['/']);
const git = new Git({ environment, folders });
let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-changes-')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]): string {
  return runGit(folder, ...args);
}

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

const long = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');

function commitTwice(): { first: string; second: string } {
  run('init', '--quiet', '--initial-branch=main');
  for (const name of ['changed', 'deleted', 'same']) write(name, `${name}, before`);
  write('moved', long);
  run('add', '.');
  run('commit', '--quiet', '-m', 'First: the beginning');
  const first = run('rev-parse', 'HEAD');
  write('later', 'later');
  run('add', '.');
  run('commit', '--quiet', '-m', 'Second');
  return { first, second: run('rev-parse', 'HEAD') };
}

describe('in a repository', () => {
  it('git tells what was added, changed, deleted and moved, and what it does not track', async () => {
    commitTwice();
    write('changed', 'after');
    rmSync(join(folder, 'deleted'));
    renameSync(join(folder, 'moved'), join(folder, 'mövéd "here"'));
    run('add', '--all', 'mövéd "here"', 'moved');
    write('new', 'new');
    expect(await git.changes(folder)).toEqual([
      { status: 'UPDATED', path: 'changed' },
      { status: 'DELETED', path: 'deleted' },
      { status: 'MOVED', path: 'mövéd "here"' },
      { status: 'ADDED', path: 'new' },
    ]);
  });

  it('git compares with the named commit, and refuses an unknown one and an option', async () => {
    const { first } = commitTwice();
    const ref = first;
    expect(await git.changes(folder, ref)).toEqual([{ status: 'ADDED', path: 'later' }]);
    await expect(git.changes(folder, 'nowhere')).rejects.toThrow('Unknown revision: nowhere');
    await expect(git.changes(folder, '--output=stolen')).rejects.toThrow('Unknown revision: --output=stolen');
  });

  it('git counts what was committed and not pushed as changed', async () => {
    const { first } = commitTwice();
    run('update-ref', 'refs/remotes/origin/main', first);
    run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    expect(await git.changes(folder)).toEqual([{ status: 'ADDED', path: 'later' }]);
  });

  it('git gives both sides of a file, now and in a commit', async () => {
    const { first, second } = commitTwice();
    write('changed', 'after');
    write('new', 'new');
    rmSync(join(folder, 'deleted'));
    const diff = (path: string, of = {}): Promise<unknown> =>
      git.diff(join(folder, path), { access: 'session', ...of });
    expect(await diff('changed')).toEqual({ modified: 'after', original: 'changed, before' });
    expect(await diff('new')).toEqual({ modified: 'new', original: null });
    expect(await diff('deleted')).toEqual({ modified: null, original: 'deleted, before' });
    expect(await diff('later', { commit: second })).toEqual({ modified: 'later', original: null });
    expect(await diff('same', { commit: first })).toEqual({ modified: 'same, before', original: null });
    expect(await diff('later', { ref: first })).toEqual({ modified: 'later', original: null });
    expect(await diff('changed', { ref: first })).toMatchObject({ modified: 'after' });
    await expect(diff('nowhere')).rejects.toThrow(`File does not exist: ${folder}/nowhere`);
    // four digits may be the beginning of a commit, whose name has the time in it
    const none = '0'.repeat(40);
    await expect(diff('same', { commit: none })).rejects.toThrow(`Unknown revision: ${none}`);
  });

  it('git lists commits, newest first, and what each changed', async () => {
    const { first, second } = commitTwice();
    const page = await git.commits(folder, 1);
    expect(page).toMatchObject({ has_more: true, commits: [{ sha: second, subject: 'Second', author: 'Ada' }] });
    expect((await git.commits(folder, 2)).has_more).toBe(false);
    expect(await git.commitChanges(folder, second)).toEqual([{ status: 'ADDED', path: 'later' }]);
    expect((await git.commitChanges(folder, first)).map(({ status }) => status)).toEqual(Array(4).fill('ADDED'));
    expect(page.commits[0]?.short_sha).toBe(second.slice(0, page.commits[0]?.short_sha.length));
  });

  it('git stays within the folder that is asked about', async () => {
    commitTwice();
    mkdirSync(join(folder, 'inner'));
    write('inner/file', 'x');
    write('outside', 'x');
    expect(await git.changes(join(folder, 'inner'))).toEqual([{ status: 'ADDED', path: 'file' }]);
  });

  it('git shows everything as added before the first commit', async () => {
    run('init', '--quiet');
    write('staged', 'x');
    run('add', '.');
    write('loose', 'x');
    expect(await git.changes(folder)).toEqual([
      { status: 'ADDED', path: 'loose' },
      { status: 'ADDED', path: 'staged' },
    ]);
    expect(await git.commits(folder, 10)).toEqual({ commits: [], has_more: false });
  });

  it('git runs no program that the repository names', async () => {
    commitTwice();
    run('config', 'core.fsmonitor', `touch ${folder}/../ran-${process.pid}; false`);
    run('config', 'diff.external', 'false');
    write('changed', 'after');
    expect(await git.changes(folder)).toEqual([{ status: 'UPDATED', path: 'changed' }]);
  });
});

describe('outside of a repository', () => {
  it('nothing has changed outside of a repository, and there are no commits', async () => {
    expect(await git.changes(folder)).toEqual([]);
    expect(await git.changes(join(folder, 'gone'))).toEqual([]);
    expect(await git.commits(folder, 5)).toEqual({ commits: [], has_more: false });
    await expect(git.diff(join(folder, 'file'), { access: 'session' })).rejects.toThrow('Not in a git repository');
  });
});

describe('limits', () => {
  beforeEach(() => void commitTwice());

  it('a git that does not end is stopped, and the answer says so', async () => {
    rmSync(join(folder, '.git', 'index'));
    execFileSync('mkfifo', [join(folder, '.git', 'index')]);
    const limited = new Git({ environment, folders, limits: { timeout: 300 } });
    await expect(limited.changes(folder)).rejects.toThrow('git took longer than 300 ms and was stopped; try again');
  });

  it('more output than the limit is refused', async () => {
    const limited = new Git({ environment, folders, limits: { maxOutput: 10 } });
    await expect(limited.commits(folder, 10)).rejects.toThrow(/maxBuffer|stdout/);
  });
});
