import { execFile } from 'node:child_process';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** What git refused, in its own words. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** Runs git in a folder. Resolves with what it printed; rejects {@link GitError}. */
export type RunGit = (
  folder: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Promise<string>;

/** A git that asks nobody, takes no lock for a mere look, and runs no program that a repository names. */
export function runGit(environment: Readonly<Record<string, string>>): RunGit {
  const quiet = { ...environment, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat', LC_ALL: 'C' };
  const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '-c', 'core.hooksPath=/dev/null'];
  return (folder, args, more) =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, env: { ...quiet, ...more }, maxBuffer: MAX_OUTPUT };
      try {
        execFile('git', [...settings, ...args], options, (error, stdout, stderr) => {
          if (error) reject(new GitError(stderr.trim() || error.message, { cause: error }));
          else resolve(stdout);
        });
      } catch (cause) {
        // null characters, and more than the system takes
        reject(new GitError('git cannot be asked this', { cause }));
      }
    });
}
