import { ToolError, type ProgramStart } from '@conv/core/tool';

import { LATE } from './checked-start.ts';
import type { Mounts } from './mounts.ts';
import { quoted } from './quoted.ts';
import type { Rules } from './rules.ts';

/** The optional package that makes profiles of Seatbelt, and the module of it that is used. It has no entry point for a single start. */
const RUNTIME = '@anthropic-ai/sandbox-runtime';
const MODULE = `${RUNTIME}/dist/sandbox/macos-sandbox-utils.js`;

/** Devices that programs write. */
const DEVICES = ['/dev/null', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper', '/dev/autofs_nowait'];

/** The rule of the generator for an open network, and ours: no sockets of services on this machine, but the resolver's. */
const OPEN = '(allow network*)';
const OPEN_WITHOUT_SERVICES = `${OPEN}
(deny network-outbound (remote unix-socket (path-regex #"^/")))
(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))`;

/** The access of a program. All paths are names and no patterns. The innermost path decides. */
interface SeatbeltRequest {
  readonly command: string;
  readonly needsNetworkRestriction: boolean;
  readonly allowPty: boolean;
  readonly binShell: string;
  readonly readConfig: {
    readonly denyOnly: readonly string[];
    readonly literalDenyOnly: readonly string[];
    readonly literalAllowWithinDeny: readonly string[];
  };
  readonly writeConfig: {
    readonly allowOnly: readonly string[];
    readonly literalAllowOnly: readonly string[];
    readonly denyWithinAllow: readonly string[];
    readonly literalDenyWithinAllow: readonly string[];
  };
}

/** The part of the package that is used: it returns a command line that confines another one. */
export interface Seatbelt {
  wrapCommandWithSandboxMacOS(request: SeatbeltRequest): string;
}

/** Resolves with the generator of profiles. Rejects {@link ToolError} `UNSUPPORTED` if it is not installed. */
export async function loadSeatbelt(): Promise<Seatbelt> {
  try {
    // the name is no literal, so that programs which do not have the package can be bundled
    const loaded = (await import(MODULE)) as Partial<Seatbelt>;
    if (typeof loaded.wrapCommandWithSandboxMacOS === 'function') return loaded as Seatbelt;
  } catch {
    // not installed
  }
  throw new ToolError(
    'UNSUPPORTED',
    `The sandbox needs the package ${RUNTIME} on macOS, and finds none that it can use: install version 0.0.83.`,
  );
}

/** The folders that take the places of the user's. */
export interface OwnPlaces {
  readonly home: string;
  readonly temporary: string;
}

/** Returns the start of a program that Seatbelt confines to these paths. A path of `mounts` inside another one decides for what lies in it. */
export function seatbeltStart(
  seatbelt: Seatbelt,
  { command, args, cwd, env }: ProgramStart,
  mounts: Mounts,
  { network, own }: { readonly network: Rules['network']; readonly own: OwnPlaces },
): ProgramStart {
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const early = variables.filter(([name]) => !isLate(name));
  const late = [...variables.filter(([name]) => isLate(name)), ['HOME', own.home], ['TMPDIR', own.temporary]] as const;
  // env would take such a name for a variable
  const hidden = command.includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sandbox'] : [];
  const setting = ['/usr/bin/env', ...late.map(([name = '', value = '']) => `${name}=${value}`)];
  const wrapped = seatbelt.wrapCommandWithSandboxMacOS({
    command: `exec ${[...setting, ...hidden, command, ...args].map(quoted).join(' ')}`,
    needsNetworkRestriction: network !== 'open',
    allowPty: true,
    binShell: '/bin/sh',
    ...accessOf(mounts),
  });
  // a path in the profile may have this name
  const rules = wrapped.split(OPEN).length - 1;
  if (network === 'open' && rules !== 1)
    throw new ToolError(
      'FAILED',
      `The sandbox started nothing: expected "${OPEN}" once in a profile of Seatbelt, found it ${rules} times.`,
    );
  return {
    command: '/bin/sh',
    args: ['-c', wrapped.replace(OPEN, () => OPEN_WITHOUT_SERVICES)],
    cwd,
    env: Object.fromEntries(early),
  };
}

function accessOf(mounts: Mounts): Pick<SeatbeltRequest, 'readConfig' | 'writeConfig'> {
  const all = mounts.inOrder().filter(({ path }) => path !== '/');
  const pathsOf = (...kinds: readonly string[]): readonly string[] =>
    all.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  const hidden = pathsOf('empty', 'blank');
  return {
    readConfig: { denyOnly: [], literalDenyOnly: hidden, literalAllowWithinDeny: pathsOf('read', 'write') },
    writeConfig: {
      allowOnly: [],
      literalAllowOnly: [...pathsOf('write'), ...DEVICES],
      denyWithinAllow: [],
      literalDenyWithinAllow: all
        .filter(({ kind, path }) => kind !== 'write' && mounts.leadsInto(path))
        .map(({ path }) => path),
    },
  };
}

/** True for a variable that acts on the programs which confine. */
function isLate(name: string): boolean {
  return LATE.test(name) || name.startsWith('DYLD_');
}
