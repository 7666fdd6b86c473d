import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

import { ToolError, type ProgramStart } from '@conv/core/tool';

import { checkedStart } from './checked-start.ts';
import { replaceableFiles } from './file-identities.ts';
import { isWithin, type Mount, type Mounts } from './mounts.ts';
import { realPath } from './real-path.ts';

/** Namespaces of its own for everything but the network, no privileges, and the folders that the kernel fills. */
const ALONE = '--unshare-all --die-with-parent --cap-drop ALL --proc /proc --dev /dev --dir /run'.split(' ');

interface BubblewrapOptions {
  /** True for the network of the process that starts bubblewrap. */
  readonly sharesNetwork: boolean;
  readonly word: string;
  readonly given: readonly string[];
  /** The most processes and threads for the kernel; `undefined` if it bounds none. */
  readonly most: number | undefined;
}

/** Matches folders in which systems install programs, and in which no program of a sandbox writes. */
const INSTALLED = /^\/(?:usr\/(?:local\/)?)?s?bin\/?$|^\/(?:nix|run\/current-system)\//;

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
 * Returns the start of bubblewrap that starts a program inside. Variables that name libraries are for that program alone. `word`: stands
 * among the arguments, so that the process is known by it. `given`: real paths whose mounts must lead to what is there now. Throws
 * {@link ToolError} `FAILED` if a path to mount is replaced meanwhile.
 */
export function bubblewrapped(
  program: string,
  start: ProgramStart,
  mounts: Mounts,
  { sharesNetwork, word, given, most }: BubblewrapOptions,
): ProgramStart {
  const inOrder = mounts.inOrder();
  // sealed last, because what lies in a folder needs a place there
  const sealed = ['/', ...inOrder.filter(({ kind }) => kind === 'empty').map(({ path }) => path)];
  const inside = checkedStart(start, replaceableFiles(mounts, given), most);
  const args = [
    ...ALONE,
    // there is no variable of this name
    '--unsetenv',
    word,
    ...(sharesNetwork ? ['--share-net'] : []),
    ...inOrder.flatMap(toArguments),
    ...sealed.flatMap((path) => ['--remount-ro', path]),
    ...inside.set.flatMap((variable) => ['--setenv', ...variable]),
    '--chdir',
    start.cwd,
    '--',
    ...inside.command,
  ];
  return { command: program, args, cwd: '/', env: inside.env };
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
