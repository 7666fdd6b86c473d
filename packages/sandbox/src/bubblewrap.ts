import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

import { ToolError, type ProgramStart } from '@conv/core/tool';

import { checkedStart, type StartInside } from './checked-start.ts';
import type { FileIdentity } from './file-identities.ts';
import { launched, type Bubblewrap } from './launched.ts';
import { isWithin, type Mount, type Mounts } from './mounts.ts';
import { realPath } from './real-path.ts';
import { readOnlySettings } from './settings-of-kernel.ts';

/** Namespaces of its own for everything, and no privileges. */
const ALONE = '--unshare-all --die-with-parent --cap-drop ALL'.split(' ');

/** The folders that the kernel fills. */
const FILLED = [...'--proc /proc --dev /dev'.split(' '), ...readOnlySettings()];

/** Options of each program. */
export interface EnteringOptions {
  /** True for the network of the process that starts bubblewrap. */
  readonly sharesNetwork: boolean;
  readonly word: string;
  /** The most processes and threads for the kernel; `undefined` if it bounds none. */
  readonly most: number | undefined;
}

interface BubblewrapOptions extends EnteringOptions {
  readonly files: readonly FileIdentity[];
}

/** Matches folders in which systems install programs, and in which no program of a sandbox writes. */
const INSTALLED = /^\/(?:usr\/(?:local\/)?)?s?bin\/?$|^\/(?:nix|run\/current-system)\//;

/** True if no program inside can put another one in the place of this one, where a system has installed it. */
export function isInstalled(program: string): boolean {
  return INSTALLED.test(dirname(program));
}

/**
 * Returns the path of bubblewrap. Ignores folders that programs inside can write, because they could put another program there. Throws
 * {@link ToolError} `UNSUPPORTED` if there is none.
 */
export function findBubblewrap(writable: readonly string[]): string {
  if (process.platform !== 'linux')
    throw new ToolError(
      'UNSUPPORTED',
      `The sandbox needs Linux, and this is ${process.platform}: use a container instead.`,
    );
  const folders = writable.map((path) => realPath(path) ?? path).filter((path) => path !== '/');
  const inPath = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  // PATH may also name folders of other workspaces, such as node_modules/.bin
  const installed = inPath.filter((folder) => INSTALLED.test(folder));
  for (const folder of [...installed, ...inPath]) {
    const program = join(folder, 'bwrap');
    const real = realPath(program);
    if (real === undefined || folders.some((path) => isWithin(path, real) || isWithin(path, program))) continue;
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // the next folder
    }
  }
  throw new ToolError(
    'UNSUPPORTED',
    'The sandbox needs bubblewrap, and there is no bwrap in PATH: install bubblewrap.',
  );
}

/**
 * Returns the start of bubblewrap that starts a program inside mounts of its own. Variables that name libraries are for that program alone. `word`: stands
 * among the arguments, so that the process is known by it. `files`: what must be at their paths, as a mount.
 */
export function bubblewrapped(
  bubblewrap: Bubblewrap,
  start: ProgramStart,
  mounts: Mounts,
  { files, ...options }: BubblewrapOptions,
): ProgramStart {
  const made = [...FILLED, ...argumentsOf(mounts)];
  const { args, env } = begun(start, made, checkedStart(start, files, options.most), options);
  return { ...launched(bubblewrap, [], args), cwd: '/', env };
}

/** Returns the start of bubblewrap for a program in mounts that are there and were checked. `enter`: the program that enters them, with its arguments. */
export function enteredStart(
  bubblewrap: Bubblewrap,
  enter: readonly string[],
  start: ProgramStart,
  options: EnteringOptions,
): ProgramStart {
  const entered = ['--dev-bind', '/', '/', ...FILLED];
  const { args, env } = begun(start, entered, checkedStart(start, [], options.most), options);
  return { ...launched(bubblewrap, enter, args), cwd: '/', env };
}

/**
 * Returns the start of bubblewrap with a process that does nothing, in mounts for programs that enter them. They have the `/proc` and `/dev` of this
 * machine: bubblewrap needs one in which it finds itself, and devices to pass on. Each program mounts its own upon them. With devices that bubblewrap makes the
 * process would be in a user namespace within that of the mounts, where no program can enter them.
 */
export function heldStart({ program }: Bubblewrap, mounts: Mounts, env: ProgramStart['env']): ProgramStart {
  const alone = ['--unshare-user', '--die-with-parent', '--cap-drop', 'ALL'];
  const filled = ['--bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev'];
  return { command: program, args: [...alone, ...filled, ...argumentsOf(mounts), '--', 'cat'], cwd: '/', env };
}

function begun(
  { cwd }: ProgramStart,
  mounted: readonly string[],
  inside: StartInside,
  { sharesNetwork, word }: EnteringOptions,
): Pick<ProgramStart, 'args' | 'env'> {
  const args = [
    ...ALONE,
    // there is no variable of this name
    '--unsetenv',
    word,
    ...(sharesNetwork ? ['--share-net'] : []),
    ...mounted,
    ...inside.set.flatMap((variable) => ['--setenv', ...variable]),
    '--chdir',
    cwd,
    '--',
    ...inside.command,
  ];
  return { args, env: inside.env };
}

function argumentsOf(mounts: Mounts): readonly string[] {
  const inOrder = mounts.inOrder();
  // sealed last, because what lies in a folder needs a place there
  const sealed = ['/', ...inOrder.filter(({ kind }) => kind === 'empty').map(({ path }) => path)];
  return ['--dir', '/run', ...inOrder.flatMap(toArguments), ...sealed.flatMap((path) => ['--remount-ro', path])];
}

function toArguments(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', mount.source, mount.path];
    case 'write':
      return ['--bind', mount.source, mount.path];
    case 'link':
      return ['--symlink', mount.source, mount.path];
    case 'blank':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'empty':
      return ['--tmpfs', mount.path];
  }
}
