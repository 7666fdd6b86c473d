import type { ProgramStart } from '@conv/core/tool';

import { quoted } from './quoted.ts';

/** Bubblewrap on this machine. */
export interface Bubblewrap {
  /** The path of the program. */
  readonly program: string;
  /** The file with the filter of system calls for each program inside; `undefined` where there is none. */
  readonly filter: string | undefined;
}

/**
 * Returns the start of bubblewrap with these arguments. `before`: a program that becomes bubblewrap, with its arguments.
 *
 * Bubblewrap takes a filter from an open file. A shell opens it and becomes the first program, so that the process stays the same. It uses a number
 * that the starter of the program has not used, because what is open goes on to the program; bubblewrap closes the filter.
 */
export function launched(
  { program, filter }: Bubblewrap,
  before: readonly string[],
  args: readonly string[],
): Pick<ProgramStart, 'command' | 'args'> {
  const words = [...before, program];
  if (filter !== undefined) return { command: '/bin/sh', args: ['-c', scriptOf(words, filter), 'sandbox', ...args] };
  const [command = program, ...rest] = words;
  return { command, args: [...rest, ...args] };
}

/** Returns the script that opens the filter and becomes the words with its arguments. Dash knows files by numbers of one digit. */
function scriptOf(words: readonly string[], filter: string): string {
  const text = `The sandbox started nothing: it could not open its filter of system calls, ${filter}. Open the conversation again.`;
  const full = `The sandbox started nothing: expected a free number for an open file among 3 to 9, found none. Give the program fewer open files.`;
  return [
    'for conv_file in 9 8 7 6 5 4 3 none; do test -e /proc/self/fd/$conv_file || break; done',
    `test $conv_file != none || { printf '%s\\n' ${quoted(`sandbox: ${full}`)} >&2; exit 126; }`,
    `set -- ${words.map(quoted).join(' ')} --seccomp $conv_file "$@"`,
    `conv_filter=${quoted(filter)}`,
    // as a command, `exec` does not end the shell where it fails
    'eval "command exec \\"\\$@\\" $conv_file<\\"\\$conv_filter\\""',
    `printf '%s\\n' ${quoted(`sandbox: ${text}`)} >&2`,
    'exit 126',
  ].join('\n');
}
