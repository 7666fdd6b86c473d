import { homedir, tmpdir } from 'node:os';

/** Stands in a text for a part that is known only when the command runs. */
export const UNKNOWN = '\0';

/** Kind of the place that a path names. */
export type PlaceKind =
  | 'inside'
  | 'workspace'
  | 'above'
  | 'git'
  | 'temporary'
  | 'stream'
  | 'device'
  | 'system'
  | 'home'
  | 'personal'
  | 'outside'
  | 'unknown';

/** A path, read as text: links are not followed. */
export interface Place {
  readonly kind: PlaceKind;
  /** Names from the root on, without `.` and `..`; a name may hold wildcards. Empty for an unknown beginning. */
  readonly names: readonly string[];
  /** True if the path as it was given has no wildcard and no name with which hidden or system settings begin. */
  readonly isPlain: boolean;
}

/** Folders that paths are read by. */
export interface Surroundings {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  readonly home: string;
  /** The same as names from the root on. */
  readonly workspaceNames: readonly string[];
  readonly homeNames: readonly string[];
}

const HOME = homedir();
const TEMPORARY: readonly (readonly string[])[] = [tmpdir(), '/tmp', '/var/tmp', '/private/tmp', '/dev/shm'].map(split);
const SYSTEM = new Set(
  'bin boot dev etc lib lib32 lib64 proc sbin sys usr system library applications windows'.split(' '),
);
const SYSTEM_IN_VAR = new Set('lib spool www run backups'.split(' '));
const STREAMS = new Set('null zero stdin stdout stderr tty fd random urandom full ptmx'.split(' '));
const DEVICE = /^(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk|dm-\d|mapper$|md\d|loop\d|sr\d|k?mem$|port$)/;

export function surroundingsOf(workspace: string): Surroundings {
  const workspaceNames = split(workspace);
  return { workspace: `/${workspaceNames.join('/')}`, home: HOME, workspaceNames, homeNames: split(HOME) };
}

/** Returns the place that a path names for a command in the folder `at`. */
export function placeOf(path: string, at: string, surroundings: Surroundings): Place {
  const { workspace, workspaceNames, homeNames } = surroundings;
  const isPlain = isPlainPath(path);
  if (isPlain && at === workspace && path.charCodeAt(0) !== SLASH) {
    const names = append(workspaceNames.slice(), path);
    return { kind: names.length === workspaceNames.length ? 'workspace' : 'inside', names, isPlain };
  }
  const full = absolute(path, at, surroundings.home);
  const names = append([], full);
  if (!full.startsWith('/')) return { kind: 'unknown', names, isPlain: false };
  return { kind: kindOf(names, workspaceNames, homeNames), names, isPlain };
}

const SLASH = 47;
const DOT = 46;

/** True for paths without anything to expand, hidden names, `..` and blanks, which are no settings. */
function isPlainPath(path: string): boolean {
  let before = SLASH;
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at);
    if (code >= 128 || PLAIN_CODES[code] !== true) return false;
    // `./x` and `a//b` are plain, `.x` and `..` are not
    if (code === DOT && before === SLASH && at + 1 < path.length && path.charCodeAt(at + 1) !== SLASH) return false;
    before = code;
  }
  return !path.includes('Launch') && path[1] !== ':';
}

const PLAIN_CODES: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[\w./@:%+,=-]/.test(String.fromCharCode(code)),
);

/** True if the folder of the shell does not matter for a path. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[/~\0]|[A-Za-z]:)/.test(path);
}

/** Returns the path with `~` and its start folder resolved. */
export function absolute(path: string, at: string, home: string): string {
  if (path.startsWith('/')) return path;
  if (path === '~' || path.startsWith('~/')) return home + path.slice(1);
  if (path === '~+' || path.startsWith('~+/')) return at + path.slice(2);
  // an earlier folder of the shell
  if (/^~[-+\d]/.test(path)) return UNKNOWN + path.slice(path.indexOf('/') === -1 ? path.length : path.indexOf('/'));
  if (/^~[a-z]/.test(path)) return `/home/${path.slice(1)}`;
  if (/^[A-Za-z]:/.test(path)) return `/Windows/${path.slice(2)}`;
  return path.startsWith(UNKNOWN) ? path : `${at}/${path}`;
}

function split(path: string): readonly string[] {
  return append([], path);
}

/** Appends the names of a path to those of a folder. */
function append(names: string[], path: string): readonly string[] {
  for (let start = 0; start <= path.length;) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const name = start === 0 && end === path.length ? path : path.slice(start, end);
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
    start = end + 1;
  }
  return names;
}

function kindOf(names: readonly string[], workspace: readonly string[], home: readonly string[]): PlaceKind {
  const wild = names.findIndex(isWild);
  const known = wild === -1 ? names : names.slice(0, wild);
  if (isWithin(known, workspace)) {
    if (names.length === workspace.length) return 'workspace';
    if (names.length === workspace.length + 1 && isAll(names.at(-1))) return 'workspace';
    return names[workspace.length] === '.git' ? 'git' : 'inside';
  }
  const isAbove = isWithin(workspace, known) && names.length <= workspace.length;
  const isInHome = isWithin(known, home);
  const isHome =
    isInHome && (names.length === home.length || (names.length === home.length + 1 && isAll(names.at(-1))));
  if (isHome && home.length > 0) return 'home';
  if (isTemporary(known, names.length) && !(isInHome && isTemporary(home, home.length)))
    return isAbove ? 'above' : 'temporary';
  const first = names[0] ?? '';
  if (first === 'dev' && STREAMS.has(names[1] ?? '')) return 'stream';
  if (first === 'dev' && DEVICE.test(names[1] ?? '')) return 'device';
  if (isInHome) return isHome ? 'home' : 'personal';
  if (isAbove || known.length === 0) return 'above';
  if (first === 'home' || first === 'Users') return names.length <= 2 ? 'above' : 'outside';
  if (first === 'root' && names.length === 1) return 'above';
  const isSystem =
    SYSTEM.has(first.toLowerCase()) || (first === 'var' && (known.length < 2 || SYSTEM_IN_VAR.has(names[1] ?? '')));
  return isSystem ? 'system' : 'outside';
}

/** True for a path below a temporary folder. A home folder there is personal all the same, unless it is `/tmp` itself. */
function isTemporary(known: readonly string[], length: number): boolean {
  for (const folder of TEMPORARY) if (length > folder.length && isWithin(known, folder)) return true;
  return false;
}

function isWithin(names: readonly string[], folder: readonly string[]): boolean {
  if (names.length < folder.length) return false;
  for (let at = 0; at < folder.length; at += 1) if (names[at] !== folder[at]) return false;
  return true;
}

function isAll(name: string | undefined): boolean {
  return name === '*' || name === '.*' || name === '{*,.*}' || name === '**';
}

/** True if a name stands for others, or is not known. */
function isWild(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code === 0 || code === 42 || code === 63 || code === 91) return true;
  }
  return false;
}

/** True if a name with wildcards may stand for this one. Takes at most the product of both lengths in steps. */
export function mayBe(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  if (!isWild(pattern)) return false;
  const signs = pattern
    .slice(0, 256)
    .replaceAll(/\[[^\]]*\]/g, '?')
    .replaceAll(UNKNOWN, '*');
  let at = 0;
  let star = -1;
  let from = 0;
  let behind = 0;
  while (from < name.length) {
    if (signs[at] === '*') {
      star = at++;
      behind = from;
    } else if (at < signs.length && (signs[at] === '?' || signs[at] === name[from])) {
      at++;
      from++;
    } else if (star === -1) return false;
    else {
      at = star + 1;
      from = ++behind;
    }
  }
  while (signs[at] === '*') at++;
  return at === signs.length;
}
