import { homedir } from 'node:os';
import { isAbsolute, posix, resolve } from 'node:path';

import { PluginError } from './plugin-error.ts';

/** A place that a plugin or a skill comes from, as people write it. */
export interface Source {
  /**
   * A folder, a git URL with `https`, `http` or `file`, `github:owner/repository`, or the address of a folder on GitHub. The ref and the path may follow
   * as in `github:owner/repository@ref/path`, `https://host/repository.git@ref/path` and `https://host/repository#ref:path`.
   */
  readonly source: string;
  /** A branch, a tag or a commit of a repository. Default: the branch that its HEAD names. */
  readonly ref?: string | null;
  /** A folder in the repository, relative to it. Default: the repository. */
  readonly path?: string | null;
}

/** A source after it was read. */
export type ParsedSource =
  | { readonly kind: 'folder'; readonly directory: string }
  | { readonly kind: 'git'; readonly url: string; readonly ref: string | null; readonly path: string };

const TREE = /^https:\/\/github\.com\/([^/]+)\/([^/]+)\/(?:tree|blob)\/([^/]+)(?:\/(.+))?$/;
const SHORT = /^github:([\w.-]+)\/([\w.-]+?)(?:@([^/]+))?(?:\/(.+))?$/;
/** A URL with a ref and a path behind it, as marketplaces join them; without `.git` nothing says where the repository ends. */
const JOINED = /^(https?:\/\/[^/]+\/.+?\.git)(?:@([^/#]+))?(?:\/([^#]+))?$/i;
const FRAGMENT = /^(\w+:\/\/[^#]+)#([^:]*)(?::(.+))?$/;
const REF = /^[\w][\w./+-]*$/;

/**
 * Reads a source. A relative folder is relative to the working folder of the process, and `~` is the home. Throws {@link PluginError}
 * `INVALID_SOURCE`, also for repositories by `ssh`, which would be read with the keys of this user, and for a folder with a path or a ref.
 */
export function parseSource({ source, ref = null, path = null }: Source): ParsedSource {
  const given = source.trim();
  if (given === '' || given.includes('\0')) throw wrong(source, 'found an empty text or a null character');
  const short = SHORT.exec(given);
  if (short) return git(`https://github.com/${short[1]}/${short[2]}.git`, ref ?? short[3] ?? null, path ?? short[4]);
  if (given.startsWith('github:')) throw wrong(source, 'expected github:owner/repository');
  const tree = TREE.exec(given);
  if (tree) return git(`https://github.com/${tree[1]}/${tree[2]}.git`, ref ?? tree[3] ?? null, path ?? tree[4]);
  if (/^(?:https?|file):\/\//i.test(given)) {
    const [, url = given, ownRef, ownPath] = FRAGMENT.exec(given) ?? JOINED.exec(given) ?? [];
    return git(urlOf(url, source), ref ?? (ownRef || null), path ?? ownPath);
  }
  if (/^[\w.-]+@[\w.-]+:/.test(given) || /^(?:ssh|git)(?:\+\w+)?:\/\//i.test(given))
    throw wrong(
      source,
      'repositories are not read by ssh and git://, which have the keys of this user or none; use https',
    );
  if (/^\w[\w+.-]*:(?:\/\/|:)/.test(given)) throw wrong(source, 'expected https, http or file in front of ://');
  if (!isAbsolute(given) && !/^[.~]/.test(given) && !given.includes('/'))
    throw wrong(source, 'expected a path with a slash');
  if (path !== null && path !== '') throw wrong(source, 'a folder has no repo_path; name the whole path as the source');
  return { kind: 'folder', directory: resolve(given.replace(/^~(?=\/|$)/, homedir())) };
}

/** Returns a source without the name and the password in its URL. */
export function withoutCredentials(source: string): string {
  return source.replace(/^(\w[\w+.-]*:\/\/)[^/?#]*@/, '$1****@');
}

function git(url: string, ref: string | null, path: string | null | undefined): ParsedSource {
  if (ref !== null && ref !== '' && (!REF.test(ref) || ref.includes('..') || ref.endsWith('.lock')))
    throw new PluginError(
      'INVALID_SOURCE',
      `ref: expected the name of a branch or a tag, or a commit, found ${JSON.stringify(ref)}`,
    );
  return { kind: 'git', url, ref: ref === '' ? null : ref, path: pathInside(path ?? '') };
}

/** Returns a path in a repository without slashes at its ends. */
function pathInside(path: string): string {
  const plain = path.replaceAll(/^\/+|\/+$/g, '');
  const isRelative = !path.includes('\\') && !path.includes('\0') && !path.includes(':');
  if (isRelative && !plain.split('/').includes('..')) return posix.normalize(plain).replace(/^\.$/, '');
  throw new PluginError(
    'INVALID_SOURCE',
    `repo_path: expected a relative path in the repository without .., found ${JSON.stringify(path)}`,
  );
}

function urlOf(given: string, source: string): string {
  if (!URL.canParse(given)) throw wrong(source, 'expected a URL');
  const url = new URL(given);
  if (url.protocol !== 'file:' && url.hostname === '') throw wrong(source, 'expected a host in the URL');
  // git may ask the name server for such a name once more, after its addresses were checked
  if (url.hostname.endsWith('.')) throw wrong(source, 'expected a host without a dot at its end');
  return url.href;
}

function wrong(source: string, reason: string): PluginError {
  const forms = 'expected a folder, a git URL, github:owner/repository or the address of a folder on GitHub';
  return new PluginError('INVALID_SOURCE', `source ${JSON.stringify(withoutCredentials(source))}: ${forms}; ${reason}`);
}
