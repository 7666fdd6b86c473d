import { mayBe, type Place, UNKNOWN } from './places.ts';

/** The kind of secret that reading a file would reveal. */
export type Privacy = 'process' | 'protected' | 'keys' | 'private';

/** Files of `/proc/<id>/` without secrets. */
const OPEN_PROC = new Set(
  'status stat statm comm cgroup limits mounts mountinfo cmdline oom_score sched uptime net ns loginuid io wchan exe'.split(
    ' ',
  ),
);
const CLOSED_PROC = 'environ mem fd fdinfo root cwd map_files maps task auxv'.split(' ');
const KEY_FOLDERS = '.gnupg .password-store keychains .azure gcloud'.split(' ');
const KEY_FILES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)\w*|\.netrc|_netrc|\.pgpass|\.git-credentials|\.pypirc|secret\.key|.*\.keychain(?:-db)?|g?shadow-?|sudoers|ssh_host_\w+_key|login data|key[34]\.db|logins\.json|cookies(?:\.(?:sqlite|db))?|.*\.keytab|wallet\.dat|hosts\.yml|application_default_credentials\.json)$/i;
const OPEN_SSH = /^(?:config|known_hosts.*|authorized_keys|.*\.pub)$/;
const PRIVATE =
  /^(?:\.env(?:\.(?!example|sample|template|dist|defaults)\w+)?|\.\w+_history|\.npmrc|.*\.(?:pem|p12|pfx|key|kdbx))$/;

/** Folders in which programs keep data about their user. */
const SETTINGS = /^\.(?:config|local|mozilla|thunderbird|var|share|claude|codex|openhands)$/;

/** Names of source files, which hold no keys anywhere in the workspace. */
const PLAIN = /^[\w-]+\.(?:[cm]?[jt]sx?|py|go|rs|md|txt|html|css|c|h|java|rb)$/;

/** Paths that belong to the program which runs the agent, as names. */
export type ProtectedNames = readonly (readonly string[])[];

/** Returns the privacy of a file by its path; `undefined`: it holds nothing secret. */
export function privacyOf(place: Place, guarded: ProtectedNames, isRecursive: boolean): Privacy | undefined {
  const { names, kind } = place;
  if (place.isPlain && kind === 'inside' && !isSuspect(names))
    return guarded.some((path) => covers(names, path, isRecursive)) ? 'protected' : undefined;
  if (opensProcess(names, isRecursive)) return 'process';
  if (guarded.some((path) => covers(names, path, isRecursive))) return 'protected';
  const last = names.at(-1) ?? '';
  if (kind === 'inside' && PLAIN.test(last) && !names.includes('.ssh') && !names.includes('.aws')) return undefined;
  const parent = names.at(-2) ?? '';
  if (KEY_FILES.test(last) && kind !== 'inside') return 'keys';
  if (KEY_FILES.test(last)) return 'private';
  if (isIn(names, '.ssh')) return isRecursive || (last !== '.ssh' && !OPEN_SSH.test(last)) ? 'keys' : undefined;
  if (KEY_FOLDERS.some((folder) => isIn(names, folder))) return 'keys';
  if (mayBe(parent, '.aws') && (mayBe(last, 'credentials') || last === 'config')) return 'keys';
  if (isRecursive && (last === '.aws' || last === '.kube' || last === '.docker')) return 'keys';
  if ((parent === '.kube' && last === 'config') || (parent === '.docker' && last === 'config.json')) return 'keys';
  if (isRecursive && (kind === 'home' || kind === 'above' || (kind === 'personal' && SETTINGS.test(last))))
    return 'private';
  if (kind === 'system' && mayBe(last, 'shadow') && names[0] === 'etc' && last !== '*') return 'keys';
  return PRIVATE.test(last) ? 'private' : undefined;
}

/** Words that mark secret names that do not begin with a dot: each such name contains one of them. */
const SUSPECT =
  /^(?:id_|_netrc|environ$)|secret|keychain|shadow|sudoers|ssh_host|login|^key|cookies|keytab|wallet|hosts|credentials|\.(?:pem|p12|pfx|key|kdbx)$/i;

function isSuspect(names: readonly string[]): boolean {
  for (const name of names) if (name.length === 6 || name.length === 9) if (OPEN_KEY_FOLDERS.test(name)) return true;
  return SUSPECT.test(names.at(-1) ?? '');
}

const OPEN_KEY_FOLDERS = /^(?:gcloud|keychains)$/i;

function isIn(names: readonly string[], folder: string): boolean {
  for (const name of names) {
    if (name.length === folder.length && name.toLowerCase() === folder) return true;
    if (name.length > 2 && /[*?[]/.test(name) && mayBe(name, folder)) return true;
  }
  return false;
}

function opensProcess(names: readonly string[], isRecursive: boolean): boolean {
  const [first = '', , file] = names;
  if (names.at(-1) === 'environ') return true;
  if (first === '*' || first === UNKNOWN || !mayBe(first, 'proc')) return false;
  if (isRecursive && names.length < 3) return true;
  if (file === undefined) return false;
  const isProcess = /^(?:self|thread-self|\d+)$/.test(names[1] ?? '') || !/^\w+$/.test(names[1] ?? '');
  if (!isProcess || OPEN_PROC.has(file)) return false;
  // /proc/self/fd is where a shell finds the files that it was given
  if (file === 'fd' && names[1] === 'self' && names.length === 4 && /^[012]$/.test(names[3] ?? '')) return false;
  return CLOSED_PROC.some((name) => mayBe(file, name)) || !/^\w+$/.test(file);
}

/** True if the path may be this path, lie in it, or, for a recursive read, be a folder above it. */
function covers(names: readonly string[], path: readonly string[], isRecursive: boolean): boolean {
  if (names.length < path.length && !isRecursive) return false;
  const depth = Math.min(names.length, path.length);
  if (depth === 0) return false;
  for (let at = 0; at < depth; at += 1) if (!mayBe(names[at] ?? '', path[at] ?? '')) return false;
  return true;
}
