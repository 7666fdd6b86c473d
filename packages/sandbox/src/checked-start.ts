import { join } from 'node:path';

import type { ProgramStart } from '@conv/core/tool';
import { asListed } from '@conv/store-kit/system';

import { replacedText, type FileIdentity } from './file-identities.ts';
import { quoted } from './quoted.ts';
import { systemProgram } from './system-program.ts';

/**
 * Matches variables by which a program loads libraries and other files, which may lie in folders that programs inside write, variables that a shell acts
 * on or has for itself, and names that a shell may not pass on. Variables that a shell passes on when it becomes the program, such as `SHLVL`, do not
 * match: nearly every environment has them, and one more program would start.
 */
export const LATE: RegExp =
  /^(?:LD_.*|BASH.*|SHELLOPTS|ENV|PS4|IFS|PPID|UID|EUID|OPTIND|GCONV_PATH|LOCPATH|MUSL_LOCPATH|NLSPATH|GLIBC_TUNABLES|MALLOC_.*|conv_.*)$|^\d|\W/;

/** The start of a program in finished mounts. */
export interface StartInside {
  readonly command: readonly string[];
  /** Variables for bubblewrap, which hands them on. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that bubblewrap sets, because they must not act on itself. */
  readonly set: readonly (readonly [name: string, value: string])[];
}

/**
 * Returns the start of a program which begins only if each of these files is still at its path, as a mount. Without files and `most` it is the
 * program itself. `most`: the processes and threads to which the kernel bounds the program, if any.
 *
 * A mount is made by its path, so a program that runs in the same folder can lead it elsewhere, or put it at another path. With each of
 * these files there, and each path in such a folder a mount, no such mount is left.
 */
export function checkedStart(
  { command, args, env }: ProgramStart,
  files: readonly FileIdentity[],
  most?: number,
): StartInside {
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const program = [command, ...args];
  const isPlain = files.length === 0 && most === undefined;
  const late = variables.filter(([name]) => LATE.test(name));
  const early = Object.fromEntries(variables.filter(([name]) => !LATE.test(name)));
  if (isPlain) return { command: program, env: early, set: late };
  // not by the shell, which knows no variables with such names
  const setting = late.length === 0 ? [] : [inSystem('env'), ...late.map(([name, value]) => `${name}=${value}`)];
  // env would take such a name for a variable
  const hidden = late.length > 0 && command.includes('=') ? ['/bin/sh', '-c', 'exec "$@"', 'sandbox'] : [];
  const last = [...setting, ...hidden, ...program];
  return { command: ['/bin/sh', '-c', scriptOf(files, most), 'sandbox', ...last], env: early, set: [] };
}

/**
 * Returns the script that compares, and becomes the program in its arguments. Nothing before depends on a variable. The list of mounts says for
 * each what is mounted there, so one program reads it, and a second one only looks at files that it does not tell of. The shell bounds the processes
 * itself, because each program more costs a start as much as ten mounts.
 */
function scriptOf(files: readonly FileIdentity[], most: number | undefined): string {
  const text = replacedText(files.map(({ path }) => path).join(', '));
  const tests = files.flatMap(({ path, listed, moves }) => {
    const end = quoted(` ${asListed(path)}\n`);
    if (listed === undefined) return moves ? [`case $conv_mounts in *${end}*) ;; *) refuse ;; esac`] : [];
    // a second mount at the same path lies upon the first one
    return [`case $conv_mounts in *${end}*${end}*) refuse ;; *${quoted(`\n${listed}`)}${end}*) ;; *) refuse ;; esac`];
  });
  const others = files.filter(({ listed }) => listed === undefined);
  const paths = others.map(({ path }) => quoted(path)).join(' ');
  const expected = quoted(others.map(({ is }) => is).join('\n'));
  return [
    `refuse() { printf '%s\\n' ${quoted(`sandbox: ${text}`)} >&2; exit 126; }`,
    ...(others.length === 0 ? [] : [`test "$(${inSystem('stat')} -c %d:%i ${paths} 2>&1)" = ${expected} || refuse`]),
    ...(tests.length === 0
      ? []
      : [`conv_mounts="\n$(LC_ALL=C ${inSystem('cut')} -d ' ' -f 3-5 /proc/self/mountinfo)\n"`]),
    ...tests,
    // bash calls the limit -u, dash -p
    ...(most === undefined ? [] : [`ulimit -u ${most} 2>/dev/null || ulimit -p ${most} || exit 126`]),
    'exec "$@"',
  ].join('\n');
}

function inSystem(program: string): string {
  return systemProgram(program) ?? join('/usr/bin', program);
}
