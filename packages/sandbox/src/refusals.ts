import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { WIDENED } from './host-proxy.ts';
import type { Mounts } from './mounts.ts';
import { accessOf, type AccessInside } from './place-of.ts';
import type { Rules } from './rules.ts';

/** The confinement under which a program has failed. */
export interface FailedInside {
  readonly mounts: Mounts;
  /** The folder to which relative paths belong. */
  readonly cwd: string;
  readonly network: Rules['network'];
  /** The last refusals of the proxy of the sandbox, in parts of a sentence. */
  readonly refused: readonly string[];
  /** The folders that programs write, in words. */
  readonly writable: string;
  /** True if a filter of system calls was in force. */
  readonly isFiltered: boolean;
}

/** Words of the system when a program writes what it can only read, when something is hidden from it, and when it finds nothing. */
const READ_ONLY = /read-only file system|EROFS/i;
const HIDDEN = /permission denied|EACCES|no such file or directory|ENOENT|cannot connect to the docker daemon/i;
const MISSING = /no such file or directory|ENOENT/i;
/** Words of resolvers and of the system when a name or an address cannot be reached. */
const UNREACHED =
  /could not resolve|couldn't resolve|unable to resolve|name resolution|name or service not known|nodename nor servname|getaddrinfo|ENOTFOUND|EAI_AGAIN|network is unreachable|ENETUNREACH|unknown host|name does not resolve/i;
/** Words of programs whose proxy refused. Some say no more than that it failed. */
const BY_PROXY = /403|forbidden|proxy|tunnel|fetch failed|ECONN|socket hang up|network|unable to access/i;
/** Words of programs that could not change the rights of a file, or make one with them. Python names the file alone. */
const RIGHTS =
  /(?:permissions|mode|attributes)\b.*operation not permitted|EPERM: operation not permitted, (?:f?chmod|open|copyfile|cp)\b|chmod.*operation not permitted|could not make .* writable by group|PermissionError: \[Errno 1\] [^:\n]*: '/i;
/** Words of programs that count events of the processor. The settings that they name have no effect in a sandbox. */
const EVENTS = /perf_event_(?:open|paranoid)/;
/** Folders that the kernel fills, of which a sandbox has its own. */
const OF_THE_KERNEL = /^\/(?:proc|dev)(?:\/|$)/;
const NO_BITS =
  'commands give no file the bits by which it runs as its owner or group (chmod u+s, g+s); leave these out if they were asked for';
const NO_EVENTS =
  'commands cannot count events of the processor (perf_event_open), whatever the settings of the kernel';
const MOST_LINES = 500;
const MOST_PATHS = 3;
const MOST_LOOKS = 50;
const LONGEST_LINE = 2000;

/**
 * Returns what the sandbox refused a failed program, as far as its output names it; `undefined` if it names nothing. The output only
 * suggests paths: what is said of one is what the sandbox itself does with it.
 */
export function refusalsIn(output: string, inside: FailedInside): string | undefined {
  const lines = output.split('\n').slice(-MOST_LINES);
  const readOnly = pathsOf(lines, READ_ONLY, ['read', 'none'], inside);
  const missing = pathsOf(lines, HIDDEN, ['none'], inside);
  const own = pathsOf(lines, MISSING, ['own'], inside);
  const sentences = [
    ...(readOnly === '' ? [] : [`commands cannot write ${readOnly}, but in ${inside.writable}`]),
    ...(missing === '' ? [] : [`commands do not see ${missing}, whether or not it is there`]),
    ...(own === '' ? [] : [`${own} would be in a folder of the sandbox's own, which has no files of the user`]),
    ...(inside.isFiltered ? callsIn(lines) : []),
    ...unreachedIn(lines, inside),
  ];
  return sentences.length === 0 ? undefined : `In the sandbox ${sentences.join('; ')}.`;
}

/** Returns what the filter of system calls may have refused. */
function callsIn(lines: readonly string[]): readonly string[] {
  const short = lines.filter((line) => line.length <= LONGEST_LINE);
  return [
    ...(short.some((line) => RIGHTS.test(line)) ? [NO_BITS] : []),
    ...(short.some((line) => EVENTS.test(line)) ? [NO_EVENTS] : []),
  ];
}

function unreachedIn(lines: readonly string[], { network, refused }: FailedInside): readonly string[] {
  if (network === 'open') return [];
  const isUnreached = lines.some((line) => UNREACHED.test(line));
  if (network === 'closed') return isUnreached ? ['commands have no network'] : [];
  if (refused.length > 0 && (isUnreached || lines.some((line) => BY_PROXY.test(line)))) return [...refused, WIDENED];
  return isUnreached ? [`commands reach only ${network.inWords}, through the proxy of HTTPS_PROXY`] : [];
}

/**
 * Returns the last paths in lines with this sign to which programs have one of these accesses. It looks at few of them, because each look reads
 * links of the machine while everything else waits.
 */
function pathsOf(
  lines: readonly string[],
  sign: RegExp,
  accesses: readonly AccessInside[],
  { mounts, cwd }: FailedInside,
): string {
  const seen = new Set<string>();
  const found: string[] = [];
  for (const line of lines.toReversed()) {
    if (line.length > LONGEST_LINE || !sign.test(line)) continue;
    for (const path of namesIn(line, sign).map((name) => resolve(cwd, name))) {
      if (seen.has(path) || OF_THE_KERNEL.test(path)) continue;
      if (seen.size === MOST_LOOKS || found.length === MOST_PATHS) return found.toReversed().join(', ');
      seen.add(path);
      if (accesses.includes(accessOf(path, mounts)) && (isOfMachine(path) || isNewFolder(path, sign))) found.push(path);
    }
  }
  return found.toReversed().join(', ');
}

/** True if a path begins in a folder of this machine. Other words that look like paths, such as routes of a server, are none. */
function isOfMachine(path: string): boolean {
  const [, first = ''] = path.split('/');
  return existsSync(`/${first}`);
}

/** True for a folder that was not made, because programs do not write the root folder. */
function isNewFolder(path: string, sign: RegExp): boolean {
  return sign === READ_ONLY && dirname(path) === '/';
}

/** Returns the words of a line that may be the path of a failure: those in quotes, else absolute paths, else the last part before the sign. */
function namesIn(line: string, sign: RegExp): readonly string[] {
  const quoted = [...line.matchAll(/['"‘’`]([^'"‘’`]+)['"‘’`]/g)].map(([, name = '']) => name);
  if (quoted.length > 0) return quoted.filter((name) => !name.includes('//'));
  const absolute = [...line.matchAll(/(?:^|[\s:=(])(?:unix:\/\/)?(\/(?!\/)[^\s:'"),;]+)/g)].map(
    ([, name = '']) => name,
  );
  if (absolute.length > 0) return absolute.map((name) => name.replace(/\.$/, ''));
  const [before = ''] = line.split(sign);
  const last =
    before
      .split(':')
      .findLast((part) => part.trim() !== '')
      ?.trim() ?? '';
  return last === '' || last.includes('//') ? [] : [last.replace(/^cannot (?:create|open) /, '')];
}
