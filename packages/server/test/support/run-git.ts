import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Variables of a git that reads no settings of the user who runs the tests. */
export const environment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Runs git in a folder, and returns its output. */
export function runGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trimEnd();
}

/** Makes a repository in a folder, with two commits and a file that changed since, so that git has to read it. */
export function changedRepository(at: string): void {
  runGit(at, 'init', '--quiet', '--initial-branch=main');
  for (const text of ['first', 'second']) {
    writeFileSync(join(at, 'a.txt'), text);
    runGit(at, 'add', '.');
    runGit(at, 'commit', '--quiet', '-m', text);
  }
  writeFileSync(join(at, 'a.txt'), 'third!');
  writeFileSync(join(at, 'b.txt'), 'new');
}
