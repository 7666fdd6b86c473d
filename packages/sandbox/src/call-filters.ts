import { execFile, type ExecFileException } from 'node:child_process';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { errorText } from '@conv/core';
import { ToolError } from '@conv/core/tool';

import { callFilter } from './call-filter.ts';
import { launched, type Bubblewrap } from './launched.ts';

/** Milliseconds in which a program that tries a filter must have run. */
const LONGEST = 60_000;

const S_ISGID = 0o2000;

/** The word that {@link TRY} writes if the filter does not hold. */
export const NOT_HELD = 'unfiltered';

/**
 * A line for a shell with a `/dev` of its own, which tries the filter by what it does, because others may be in force too. It writes nothing if it
 * cannot tell, as on macOS, and goes on.
 */
export const TRY: string =
  'conv_try=/dev/shm/conv-try; true >$conv_try && chmod 700 $conv_try && ' +
  `if chmod 4700 $conv_try 2>/dev/null && test -u $conv_try; then echo ${NOT_HELD}; else echo filtered; fi; rm -f $conv_try`;

/** The variables of a shell with such a line. */
export const TRYING: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' };

/** Matches what bubblewrap says if it knows no filters, or the kernel has none. Other failures, as for memory, pass. */
const NO_FILTER = /^bwrap: (?:Unknown option --seccomp|[^\n]*\bCONFIG_SECCOMP_FILTER\b)/m;

/** Writes filters of system calls, and finds out, once for each bubblewrap, if they hold on this machine. */
export class CallFilters {
  readonly #hold = new Map<string, Promise<boolean>>();

  /**
   * Writes a filter to `file`, where no program inside may write. Resolves with the bubblewrap that gives it to programs; with one without a filter
   * if this machine has none, which {@link TRY} finds out. Where it cannot tell, programs get the filter, and fail if they cannot have it. Rejects {@link ToolError} `FAILED` if it cannot write now.
   */
  async give(program: string, file: string, options: Parameters<typeof callFilter>[0]): Promise<Bubblewrap> {
    const filter = callFilter(options);
    if (filter === undefined) return { program, filter };
    try {
      await writeFile(file, filter, { mode: 0o400 });
    } catch (cause) {
      throw new ToolError(
        'FAILED',
        `The sandbox cannot write its filter of system calls to ${file}: ${errorText(cause)}. Make room there, and try again.`,
        { cause },
      );
    }
    const filtered = { program, filter: file };
    return (await this.#holdsFor(filtered)) ? filtered : { program, filter: undefined };
  }

  async #holdsFor(bubblewrap: Bubblewrap): Promise<boolean> {
    const { program } = bubblewrap;
    const tried = this.#hold.get(program) ?? holds(bubblewrap, () => this.#hold.delete(program));
    this.#hold.set(program, tried);
    return tried;
  }
}

/** Resolves with false if programs start, but not with a filter that holds. Calls `unclear` where it cannot tell. */
async function holds(bubblewrap: Bubblewrap, unclear: () => void): Promise<boolean> {
  const mounted = ['--unshare-user', '--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev'];
  const { command, args } = launched(bubblewrap, [], [...mounted, '--', '/bin/sh', '-c', TRY]);
  try {
    const { stdout } = await promisify(execFile)(command, [...args], { env: TRYING, cwd: '/', timeout: LONGEST });
    return stdout.trim() !== NOT_HELD;
  } catch (error) {
    const { code, stderr = '' } = error as ExecFileException;
    if (typeof code === 'number' && NO_FILTER.test(stderr)) return false;
    unclear();
    return true;
  }
}

/** True if one of these folders passes its group on to what is made in it. */
export function passesGroupOn(folders: readonly string[]): boolean {
  return folders.some((folder) => ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & S_ISGID) !== 0);
}
