import { execFile, type ExecFileException } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';

import { errorText } from '@conv/core';
import { ToolError, type ProgramStart } from '@conv/core/tool';

import { unfitToRead } from './fit-to-read.ts';
import { PrivateFolders } from './private-folders.ts';
import { isFolder, realPath } from './real-path.ts';
import type { Rules } from './rules.ts';

/** Codes of a folder that this user cannot make, and of a program that it cannot start, now or later. */
const LASTING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);

/** Milliseconds in which a program that does nothing must have run. */
const LONGEST_CHECK = 60_000;

/** Variables that lead to services of the user: agents of keys, buses, screens, other machines. */
const OUTWARD =
  /^(?:SSH_A.*|GPG_AGENT_INFO|DBUS_.*|XDG_RUNTIME_DIR|XDG_SESSION_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|PODMAN_.*)$/;

/** Throws {@link ToolError} `FAILED` for a workspace or options that no sandbox can keep to. */
export function refuseUnfit(folder: string, { read, write, hide, directory }: Rules): void {
  if (!isAbsolute(folder) || !isFolder(folder))
    throw new ToolError('FAILED', `The sandbox needs the absolute path of a folder as workspace, found ${folder}.`);
  if ([folder, ...read, ...write].some((path) => realPath(path) === '/'))
    throw new ToolError(
      'FAILED',
      'The sandbox cannot show the whole machine: expected folders in it, found /. Name those.',
    );
  const unfit = unfitToRead({ read, hide });
  if (unfit !== undefined) throw new ToolError('FAILED', unfit);
  if (realPath(directory) === realPath(folder))
    throw new ToolError(
      'FAILED',
      `The sandbox keeps the homes of conversations in ${directory}: expected another folder than the workspace. Change the option directory.`,
    );
}

/** Makes the folders of a conversation. Throws {@link ToolError} `UNSUPPORTED` if this user may make none, and `FAILED` if it cannot now. */
export function privateFolders(directory: string): PrivateFolders {
  try {
    return new PrivateFolders(directory);
  } catch (cause) {
    throw new ToolError(
      isLasting(cause) ? 'UNSUPPORTED' : 'FAILED',
      `The sandbox cannot make its folders in ${directory}: ${errorText(cause)}. Let this user write there, or name another folder in XDG_CACHE_HOME or the option directory.`,
      { cause },
    );
  }
}

/** Returns the variables that lead to no services of the user. */
export function withoutOutward(env: ProgramStart['env']): ProgramStart['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OUTWARD.test(name)));
}

/** Runs a confined program that does nothing. Rejects {@link ToolError} `UNSUPPORTED` if it never will run, and `FAILED` if it may another time. */
export async function tryOnce({ command, args, env }: ProgramStart): Promise<void> {
  try {
    await promisify(execFile)(command, [...args], { env: { ...env }, timeout: LONGEST_CHECK });
  } catch (cause) {
    const reason = reasonOf(cause as ExecFileException);
    if (isLasting(cause))
      throw new ToolError(
        'UNSUPPORTED',
        `The sandbox cannot be built on this machine: ${reason}. Mend that, or use a container.`,
        { cause },
      );
    throw new ToolError('FAILED', `The sandbox could not be built now: ${reason}. Try again.`, { cause });
  }
}

/** Returns why a program did not run: its own words, else how it ended. */
function reasonOf(cause: ExecFileException): string {
  const said = cause.stderr?.trim() ?? '';
  if (said !== '') return said;
  if (cause.killed === true) return `it took more than ${LONGEST_CHECK / 1000} seconds`;
  return typeof cause.signal === 'string' ? `bubblewrap was ended by ${cause.signal}` : errorText(cause);
}

/** True if the same would fail later, too. A start that was killed, took too long or met a full table may succeed another time. */
function isLasting(cause: unknown): boolean {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // an exit code is what the program itself says
  return typeof code === 'number' || (typeof code === 'string' && LASTING.has(code));
}
