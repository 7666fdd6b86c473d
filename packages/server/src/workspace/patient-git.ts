import { timers, type Platform } from '@conv/core/platform';

import { GitError, type RunGit } from './run-git.ts';

/** Number of attempts of a command that finds a lock of another process. */
const TRIES = 6;

/** Milliseconds before the second attempt; each further wait is twice as long. */
const FIRST_WAIT = 20;

/** Git's words about locks that another git holds, and about the empty folder of worktrees that it has just removed. */
const IN_THE_WAY = /\.lock'|could not lock|cannot lock|\/worktrees\/?[^']*': No such file/;

/** Returns a git that retries a command while another git process holds a lock. */
export function patient(git: RunGit, platform: Platform): RunGit {
  return async (...call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await git(...call);
      } catch (error) {
        if (tries === TRIES || !(error instanceof GitError) || !IN_THE_WAY.test(error.printed)) throw error;
        await timers.sleep(platform, FIRST_WAIT * 2 ** (tries - 1));
      }
    }
  };
}
