import { timers, type Platform } from '@conv/core/platform';

import { GitError, type RunGit } from './run-git.ts';

/** Number of tries of a command that finds another process in its way. */
const TRIES = 6;

/** Milliseconds before the second try; each further wait is twice as long. */
const FIRST_WAIT = 20;

/** Locks that another git holds, and the folder of worktrees that it has just removed because it was empty. */
const IN_THE_WAY = /\.lock'|could not lock|cannot lock|\/worktrees\/?[^']*': No such file/;

/** Returns a git that tries a command again while a git of another process is in its way. */
export function patient(git: RunGit, platform: Platform): RunGit {
  return async (...call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await git(...call);
      } catch (error) {
        if (tries === TRIES || !(error instanceof GitError) || !IN_THE_WAY.test(error.message)) throw error;
        await timers.sleep(platform, FIRST_WAIT * 2 ** (tries - 1));
      }
    }
  };
}
