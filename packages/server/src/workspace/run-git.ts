import { execFile } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';

const MAX_OUTPUT = 64 * 1024 * 1024;
const TIMEOUT = 60_000;

/** Error of git, in git's own words. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** The output of git about it; empty where git did not run to its end. */
  readonly printed: string;

  constructor(message: string, { printed = '', ...options }: ErrorOptions & { readonly printed?: string } = {}) {
    super(message, options);
    this.printed = printed;
  }
}

export interface GitLimits {
  /** Milliseconds after which git is killed. Default one minute. */
  readonly timeout?: number;
  /** Maximum bytes of git's output. Default 64 MiB. */
  readonly maxOutput?: number;
}

/** Runs git in a folder. Resolves with its output. Rejects {@link GitError}, also when a limit was reached. */
export type RunGit = (
  folder: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => Promise<string>;

/** Settings of every call, which override those of every file. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.hooksPath=/dev/null',
  'core.sshCommand=false',
  'core.alternateRefsCommand=true',
  'credential.helper=',
  'diff.external=',
  'log.showSignature=false',
  'protocol.allow=never',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

/**
 * Returns a git that never prompts, never fetches, takes no lock for reading, and has a time limit. Filters and text converters
 * come from the settings of a repository, so read one through `withRepository`, which leaves them out.
 */
export function runGit(environment: Readonly<Record<string, string>>, limits: GitLimits = {}): RunGit {
  const { timeout = TIMEOUT, maxOutput = MAX_OUTPUT } = limits;
  const quiet = {
    ...withoutGit(environment),
    PATH: withoutWorkspaces(environment['PATH'] ?? ''),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_PAGER: 'cat',
    GIT_ASKPASS: 'false',
    LC_ALL: 'C',
  };
  return (folder, args, more) =>
    new Promise((resolve, reject) => {
      const options = {
        cwd: folder,
        env: { ...quiet, ...more },
        maxBuffer: maxOutput,
        timeout,
        killSignal: 'SIGKILL' as const,
      };
      try {
        execFile('git', [...SETTINGS, ...args], options, (error, stdout, stderr) => {
          if (error?.killed === true && typeof error.code !== 'string')
            reject(new GitError(`git took longer than ${timeout} ms and was stopped; try again`, { cause: error }));
          else if (error) reject(new GitError(stderr.trim() || error.message, { cause: error, printed: stderr }));
          else resolve(stdout);
        });
      } catch (cause) {
        // thrown for null characters, and for arguments that are too long
        reject(new GitError('git cannot be started with these arguments', { cause }));
      }
    });
}

/** Removes git's variables, because they may name programs, folders and settings; an author's name is harmless. */
function withoutGit(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:GIT_(?!AUTHOR_|COMMITTER_)|SSH_ASKPASS$|PAGER$)/.test(name)),
  );
}

/**
 * Removes folders of programs that a workspace can hold: relative folders, and `node_modules/.bin`, which npm adds for its scripts. An
 * empty PATH would name the working folder.
 */
function withoutWorkspaces(path: string): string {
  const folders = path.split(delimiter);
  const safe = folders.filter((folder) => isAbsolute(folder) && !/node_modules[\\/]\.bin[\\/]?$/.test(folder));
  return safe.join(delimiter) || '/usr/bin:/bin';
}
