import { execFile } from 'node:child_process';
import { devNull } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';

/** Bytes of output that are read. */
const MAX_OUTPUT = 32 * 1024 * 1024;

/** Settings with which git runs no program of a repository, asks no questions, and connects only as it is told. */
const SAFE: Readonly<Record<string, string>> = {
  'core.hooksPath': devNull,
  'core.fsmonitor': 'false',
  'core.sshCommand': 'false',
  'core.askPass': 'false',
  'credential.helper': '',
  'fetch.recurseSubmodules': 'no',
  'http.followRedirects': 'false',
  // what git has started for a connection outlives it, and ends by this
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '60',
  'http.proxy': '',
  'init.defaultBranch': 'fetched',
  'protocol.allow': 'never',
  'submodule.recurse': 'false',
};

/**
 * Error of git, in git's own words. It has no cause: the error of the system quotes the command, which has the credentials of a URL.
 */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** The output of git about it; empty where git was stopped or printed nothing. */
  readonly printed: string;

  constructor(message: string, printed = '') {
    super(message);
    this.printed = printed;
  }
}

/** Options of one call of git. */
export interface GitCall {
  /** The folder in which git runs. */
  readonly cwd: string;
  /** The protocol that it may fetch by. Default: none. */
  readonly protocol?: 'https' | 'http' | 'file';
  /** More settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Bytes of the largest file that it may write. */
  readonly maxFile: number;
  /** Milliseconds after which it is killed. */
  readonly timeout: number;
}

/**
 * Runs git without the settings of the user and the system, so that no filter, helper or hook of theirs runs either. Resolves with its output.
 * Rejects {@link GitError}, also when the time is up.
 */
export function runGit(
  args: readonly string[],
  { cwd, protocol, settings, maxFile, timeout }: GitCall,
): Promise<string> {
  const all = { ...SAFE, ...(protocol ? { [`protocol.${protocol}.allow`]: 'always' } : {}), ...settings };
  const given = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const env = {
    PATH: programs(),
    HOME: cwd,
    // these two also hold for the program that reads a repository on this machine with the settings of that
    GIT_ALLOW_PROTOCOL: protocol ?? 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: '0',
    GIT_TEMPLATE_DIR: '',
    LC_ALL: 'C',
  };
  // the size of a fetch is not known before, so the kernel ends git when it writes a larger file
  const limited = ['-c', `ulimit -f ${Math.ceil(maxFile / 512)}; exec git "$@"`, 'git', ...given, ...args];
  return new Promise((done, failed) => {
    execFile(
      '/bin/sh',
      limited,
      { cwd, env, maxBuffer: MAX_OUTPUT, timeout, killSignal: 'SIGKILL' },
      (error, out, said) => {
        if (!error) return done(out);
        if (error.killed === true)
          return failed(
            new GitError(`git took longer than ${timeout} ms and was stopped; try again, or give a longer timeout`),
          );
        const printed = lastWords(said);
        failed(
          new GitError(printed || `git ended with ${error.signal ?? `code ${error.code}`} and said nothing`, printed),
        );
      },
    );
  });
}

/** Returns what git said, without the credentials of URLs in it. */
function lastWords(said: string): string {
  return said
    .trim()
    .replaceAll(/(\w+:\/\/)[^/\s@]*@/g, '$1****@')
    .slice(-2_000);
}

/** Returns the PATH without folders that a workspace can hold, in which an agent may have put another git. */
function programs(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const safe = folders.filter(
    (folder) => isAbsolute(folder) && !folder.replace(/\/$/, '').endsWith('node_modules/.bin'),
  );
  return safe.join(delimiter) || '/usr/bin:/bin';
}
