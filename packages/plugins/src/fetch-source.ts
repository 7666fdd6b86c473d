import { mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { guardedAddresses, type LookupAddresses } from '@conv/egress';

import { FolderCopy, type Limits } from './copy-folder.ts';
import { PluginError } from './plugin-error.ts';
import { type GitCall, GitError, runGit } from './run-git.ts';
import { type ParsedSource, parseSource, type Source, withoutCredentials } from './source.ts';

/** Options of {@link fetchSource}. */
export interface FetchOptions {
  /** Hosts of repositories that are not public, as `guardedFetch` of `@conv/egress` takes them. Default: none. */
  readonly hosts?: readonly string[];
  /** Resolves with the addresses of a name. Default: the system's answer. */
  readonly lookup?: LookupAddresses;
  /** Default: 5,000 files and 64 MiB. */
  readonly limits?: Partial<Limits>;
  /** Milliseconds for one command of git. Default 2 minutes. */
  readonly timeout?: number;
  /**
   * Resolves with the real path of a folder on this machine that a source names, or rejects. With it, repositories with `file://` are refused, because
   * a repository may lead git to any other. Default: any folder.
   */
  readonly mayRead?: (directory: string) => Promise<string>;
}

const LIMITS: Limits = { entries: 5_000, bytes: 64 * 1024 * 1024 };
const TIMEOUT = 120_000;
const COMMIT = /^[\da-f]{40}(?:[\da-f]{24})?$/;

/** A copy of a source, in a new folder of its own. */
export interface Fetched extends AsyncDisposable {
  /** The copy. It has the name of the folder that was copied. */
  readonly directory: string;
  /** The commit that was fetched; null for a folder. */
  readonly commit: string | null;
  /** Digest of its paths, rights to execute and contents. */
  readonly digest: string;
}

/**
 * Copies what a source names into a new folder in `into`. Nothing of the source is run: git has no hooks, filters, helpers and submodules. Remote
 * repositories are read from the addresses that `@conv/egress` allows. Disposing removes what is left of the copy. Rejects {@link PluginError}
 * `INVALID_SOURCE`, `FETCH_FAILED`, `TOO_LARGE` and `INVALID`.
 */
export async function fetchSource(source: Source, into: string, options: FetchOptions = {}): Promise<Fetched> {
  const parsed = parseSource(source);
  await mkdir(into, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(into, '.fetched-'));
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true, maxRetries: 3 });
  try {
    const found =
      parsed.kind === 'folder' ? await readable(parsed.directory, options) : await cloned(parsed, own, options);
    const directory = join(own, 'copy', found.name);
    const copy = new FolderCopy({ ...LIMITS, ...options.limits });
    await mkdir(join(own, 'copy'));
    await copy.copy(found.directory, directory).catch((error: unknown) => {
      throw error instanceof PluginError
        ? error
        : failed(source, 'a file of it cannot be read; let this user read it', error);
    });
    return { directory, commit: found.commit, digest: copy.digest(), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

interface Found {
  readonly directory: string;
  readonly name: string;
  readonly commit: string | null;
}

async function readable(directory: string, { mayRead }: FetchOptions): Promise<Found> {
  const real = await (mayRead ? allowed(directory, mayRead) : present(directory));
  const found = await stat(real).catch((error: unknown) => {
    throw failed({ source: directory }, 'there is no such folder; create it, or name another', error);
  });
  if (!found.isDirectory()) throw failed({ source: directory }, 'expected a folder, found a file');
  return { directory: real, name: basename(directory) || 'root', commit: null };
}

function present(directory: string): Promise<string> {
  return realpath(directory).catch((error: unknown) => {
    throw failed({ source: directory }, 'there is no such folder; create it, or name another', error);
  });
}

function allowed(directory: string, mayRead: NonNullable<FetchOptions['mayRead']>): Promise<string> {
  return mayRead(directory).catch((error: unknown) => {
    throw failed({ source: directory }, 'this folder may not be read here; name one that may', error);
  });
}

/** Fetches one commit of a repository, and checks out the folder that is asked for. */
async function cloned(
  source: ParsedSource & { readonly kind: 'git' },
  own: string,
  options: FetchOptions,
): Promise<Found> {
  const { url, ref, path } = source;
  const limits = { ...LIMITS, ...options.limits };
  const repository = join(own, 'repository');
  await mkdir(repository);
  const call: GitCall = { cwd: repository, maxFile: limits.bytes * 4, timeout: options.timeout ?? TIMEOUT };
  const asked = { source: url, ref, path };
  const git = async (args: readonly string[], remote: Partial<GitCall> = {}): Promise<string> =>
    runGit(args, { ...call, ...remote }).catch((error: unknown) => {
      throw failed(asked, error instanceof Error ? error.message : String(error), error);
    });
  await git(['init', '--quiet', '.']);
  const remote = await connection(url, options);
  const commit = await fetchedCommit(git, remote, { url, ref });
  const tree = path === '' ? commit : `${commit}:${path}`;
  checkSize(await git(['ls-tree', '-r', '-l', '-z', tree]), limits);
  await git(['read-tree', '--empty']);
  await git(['read-tree', ...(path === '' ? [] : [`--prefix=${path}/`]), tree]);
  await git(['checkout-index', '--all', '--quiet']);
  const directory = await realpath(join(repository, path)).catch((error: unknown) => {
    throw failed(asked, 'there is no such folder; name another in repo_path', error);
  });
  return { directory, name: basename(path) || nameOf(url), commit };
}

type Git = (args: readonly string[], remote?: Partial<GitCall>) => Promise<string>;

/** Fetches a branch, a tag or a commit with nothing before it. A commit that the server does not give by itself is looked for in all branches. */
async function fetchedCommit(
  git: Git,
  remote: Partial<GitCall>,
  { url, ref }: { readonly url: string; readonly ref: string | null },
): Promise<string> {
  const head = async (name: string): Promise<string> =>
    (await git(['rev-parse', '--verify', `${name}^{commit}`])).trim();
  const fetch = (...more: readonly string[]): Promise<string> =>
    git(['fetch', '--quiet', '--no-tags', ...more, url, ref ?? 'HEAD'], remote);
  try {
    await fetch('--depth=1').catch((error: unknown) => {
      if (!givesAllOrNothing(error)) throw error;
      return fetch();
    });
    return await head('FETCH_HEAD');
  } catch (error) {
    if (ref === null || !COMMIT.test(ref)) throw error;
    const all = ['+refs/heads/*:refs/fetched/heads/*', '+refs/tags/*:refs/fetched/tags/*'];
    await git(['fetch', '--quiet', '--no-tags', url, ...all], remote);
    return head(ref);
  }
}

/** True for the error of a server of plain files, of which git fetches no part of a history. */
function givesAllOrNothing(error: unknown): boolean {
  const cause = error instanceof PluginError ? error.cause : undefined;
  return cause instanceof GitError && /support shallow/.test(cause.printed);
}

/** Returns how git may connect: by the protocol of the URL alone, and to the addresses that were checked. */
async function connection(url: string, { mayRead, ...options }: FetchOptions): Promise<Partial<GitCall>> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'file:') {
    // a file `.git`, a link or a list of alternates in it names any other repository
    if (mayRead)
      throw failed(
        { source: url },
        'a repository on this machine may lead to any other; name a folder without file://',
      );
    return { protocol: 'file' };
  }
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const target = {
    host: hostname.replaceAll(/^\[|\]$/g, '').replace(/\.$/, ''),
    port: Number(port) || (scheme === 'https' ? 443 : 80),
  };
  const { hosts = [], lookup } = options;
  const addresses = await guardedAddresses(target, { hosts, ...(lookup ? { lookup } : {}) }).catch((error: unknown) => {
    throw failed({ source: url }, error instanceof Error ? error.message : String(error), error);
  });
  // invariant: git connects to these addresses, and nothing resolves the name again
  const pinned = addresses.map(({ address }) => (address.includes(':') ? `[${address}]` : address)).join(',');
  return { protocol: scheme, settings: { 'http.curloptResolve': `${hostname}:${target.port}:${pinned}` } };
}

/** Throws {@link PluginError} `TOO_LARGE` for a tree that is too large, before any of it is written. */
function checkSize(listed: string, { entries, bytes }: Limits): void {
  const sizes = listed.split('\0').flatMap((line) => {
    const [, size] = /^\d+ \w+ [\da-f]+ +(\d+|-)\t/.exec(line) ?? [];
    return size === undefined ? [] : [Number(size) || 0];
  });
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length > entries)
    throw new PluginError('TOO_LARGE', `expected at most ${entries} files, found ${sizes.length}`);
  if (total > bytes) throw new PluginError('TOO_LARGE', `expected at most ${bytes} bytes in all, found ${total}`);
}

/** Returns the name of a repository, which is that of a folder. */
function nameOf(url: string): string {
  const path = new URL(url).pathname.replaceAll(/\/+$/g, '');
  const name = basename(path).replace(/\.git$/, '');
  return /^\w[\w.-]*$/.test(name) ? name : 'repository';
}

function failed({ source, ref, path }: Source, reason: string, cause?: unknown): PluginError {
  const at = [...(ref ? [` at ${ref}`] : []), ...(path ? [` in ${path}`] : [])].join('');
  return new PluginError('FETCH_FAILED', `${withoutCredentials(source)}${at} cannot be fetched: ${reason}`, { cause });
}
